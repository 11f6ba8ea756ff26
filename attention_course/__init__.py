"""What only the course *Attention by the Numbers* needs around the formulas of `attention_src`.

- `tasks` makes data whose right answer is known; `maps` holds what a published model gives three sentences.
- `training` fits a model, `interventions` changes one for a while.
- `plots` draws, in one visual language.
- `checks` judges the answer to an exercise and says what was seen.
- `museum` has the silent bugs of chapter 10 and the detectors for them.

Importing this package never imports torch.
"""

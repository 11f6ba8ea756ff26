"""The passages of the source notes, each with its verdict and the section of the book that shows it.

The quotes are word for word the notes'. The headings are those of the book; tools/errata_page.py makes links of them
and says which heading is no longer there. Numbers stand as %(name)s and are computed.
"""

from typing import NamedTuple


class Passage(NamedTuple):
    """A passage of the notes.

    where : note and line, "002:11"
    quote : at most a line, as Markdown; what has no Korean in it may stand in backticks
    verdict : "right", "imprecise", "misrounded" or "wrong"
    right : what is right, in a short sentence; may be empty where the note is right
    page : the number of a chapter ("01"), or the name of another page, or empty where the book has nothing to show
    heading : of a section of that page; empty for the page as a whole
    claim : the name under which the claim was checked
    reason : which of the four reasons for softmax in line 11 of note 002 it belongs to
    """

    where: str
    quote: str
    verdict: str
    right: str = ""
    page: str = ""
    heading: str = ""
    claim: str = ""
    reason: str = ""


HAND, GRIDS, SIX, ENDS = "Two words, by hand", "All queries at once", "Six words", "Common misconceptions"
GAP, SLOPE, FREE = "What does softmax make of a gap?", "How much a weight listens", "Weights that need not add up to 1"
THIRD, SCORE, SHARES, SUM = "The third step, by hand", "Step 1: score", "Step 2: distribution", "Step 3: weighted sum"
HANDED, EARLIER = "Step 4: what is handed on", "Bahdanau asks earlier"
ROLES, CUT, VERB = "Two words, three matrices", "A projection, not a cut", "A verb looks for its object"
SOURCES, BLOCK, RECORD = (
    "One function, two sources",
    "One block, in the order of the data",
    "The record, and what came after",
)
REASON = "Weights are not an explanation"

NOTES = {
    "000": "the definition, and “The cat”",
    "001": "the overview, Bahdanau to Vision Transformer",
    "002": "softmax, and “Your journey starts with one step”",
    "003": "“I play”",
    "004": "attention between encoder and decoder",
}

# ruff: noqa: E501
PASSAGES = [
    Passage("000:1", "Attention Mechanism은 모든 현대 NLP 구조의 핵심", "imprecise", "Of most, not of all: state-space models such as Mamba do without attention.", "07", RECORD, "DEF-01"),
    Passage("000:1", "Scaled Dot-Product Attention은 LLM Transformer 구조의 근간", "right", "", "07", BLOCK, "DEF-02"),
    Passage("000:5", "얼마나 집중할지(=중요도) 정량화", "imprecise", "A weight is the share of a value in one query's output. It does not say how much a word matters to the answer.", "09", REASON, "DEF-03"),
    Passage("000:6", "상대적 가중치 (relative weight).", "right", "A softmax weight grows only at the others' expense. ReLU and sigmoid weights are not relative.", "02", FREE, "DEF-04"),
    Passage("000:7", "입력 배열의 각 구성요소에 대한 가중합(weighted sum)", "imprecise", "The *values* are summed, a learned projection of each input, and there is one sum for each query.", "04", ROLES, "DEF-05"),
    Passage("000:11", "Attention 함수는 다음과 같이 정의됩니다", "right", "It is equation (1.1).", "01", GRIDS, "SCL-01"),
    Passage("000:16", "Key matrix ∈ $\\mathbb{R}^{n \\times d_k}$", "imprecise", "In general $m$ keys and values face $n$ queries; $m = n$ in self-attention. The table in lines 76 to 79 has cross-attention too.", "01", GRIDS, "QKV-01"),
    Passage("000:21", "Query가 Key와 얼마나 유사한지로 중요도 (가중치)를 계산", "imprecise", "A score also grows with the lengths of the two vectors: only %(own)d of the six words of note 002 look most at themselves.", "01", ENDS, "SCO-01"),
    Passage("000:22", "정규화된 유사도 행렬 (scaled attention score)", "imprecise", "Scaled, not normalised: all scores are divided by one constant, and add up to nothing in particular.", "01", HAND, "SCO-02"),
    Passage("000:23", "softmax는 유사도를 확률적 중요도로 변환", "right", "", "02", GAP, "SMX-01"),
    Passage("000:24", "softmax 외에 ReLU, sigmoid도 있음.", "right", "Both must be told how many keys there are, and their rows need not add up to 1.", "02", FREE, "ALT-01"),
    Passage("000:25", "Value는 정보 그 자체이며, $V$에 가중치를 곱해 최종 output 산출", "imprecise", "A value is a learned projection of the input. The weights stand on the left of $V$.", "04", ROLES, "QKV-03"),
    Passage("000:31", "\"The\": 문장 구조상 중요한 단어는 아니며", "imprecise", "A story from outside: no number of the example knows it. *The* also has its job in the grammar.", "01", HAND, "WEX-01"),
    Passage("000:32", "\"cat\": 핵심 명사로서 문맥상 중요한 정보", "imprecise", "A story as well: nothing in $Q$ or $K$ says that *cat* is a noun, or important.", "01", HAND, "WEX-02"),
    Passage("000:40", "\"The\"는 약한 정보, \"cat\"은 강한 정보", "imprecise", "A longer value is not more information, and no weight depends on it. The numbers are made up.", "01", ENDS, "QKV-16"),
    Passage("000:50", "각 행에 **softmax** 적용 (단어별로 다른 단어에 대한 집중도 계산)", "right", "Along each row, the word itself included.", "01", "Along which axis?", "SMX-02"),
    Passage("000:53", "`≈ [0.669, 0.331]`", "misrounded", "They are %(w).3f and %(v).3f. The first was cut off; the second is 1 minus the first.", "01", HAND, "WEX-03"),
    Passage("000:64", "`= [3.648,\\ 4.316]`", "wrong", "It is (%(o0).3f, %(o1).3f).", "01", HAND, "WEX-05"),
    Passage("000:71", "\"cat\"에 주목하여 **의미를 재구성**함", "wrong", "*The* gives itself %(w).3f, *cat* %(v).3f.", "01", HAND, "WEX-06"),
    Passage("000:72", "**중심 의미**로 정제된 표현을 생성함", "imprecise", "Both equally: yes. Refined: no. (5, 5) is the plain mean of the two values; *cat*'s own is (9, 8).", "01", GRIDS, "WEX-07"),
    Passage("000:78", "Transformer encoder (입력 내 상호작용)", "imprecise", "One source, but three projections of it. Decoders have self-attention too, with a mask.", "05", SOURCES, "SVC-01"),
    Passage("000:79", "Encoder–Decoder 구조 (T5, BART 등)", "right", "", "05", SOURCES, "SVC-02"),
    Passage("001:19", "**가중치로 선택(소프트 선택)** 하여 문맥을 통합", "right", "", "01", "The dial", "DEF-06"),
    Passage("001:20", "각 위치는 주변(또는 다른 시퀀스) 정보를 섞어", "imprecise", "Not only what is near: every position that no mask hides. In a Transformer the output is then *added* to the position's own vector.", "07", BLOCK, "DEF-07"),
    Passage("001:24", "소스(인코더 히든 상태)에 **cross-attention** 수행 → $c_t$ 생성", "right", "The query is the *previous* state, $s_{t-1}$.", "03", EARLIER, "BAH-01"),
    Passage("001:25", "RNN 제거, **self-attention**을 기본 블록으로 스택", "right", "A block has a feed-forward network, sums and norms as well.", "07", "Two designs, one idea", "SVC-04"),
    Passage("001:28", "additive attention, 작은 MLP(FFN)로 energy 계산.", "right", "", "03", EARLIER, "SCO-03"),
    Passage("001:33", "서브공간 병렬 어텐션 → concat → 선형변환.", "right", "", "06", "A list of heads", "MHA-01"),
    Passage("001:36", "RNN의 순차 처리 병목 제거 → 대규모 학습 유리.", "right", "In training. Writing still goes token by token.", "07", "Who must wait for whom?", "STD-01"),
    Passage("001:39", "효율/장문 처리 요구로 SSM 등 대안이 경쟁·보완.", "right", "", "07", RECORD, "STD-04"),
    Passage("001:42", "**서로 다른 선형변환으로 투영**", "right", "", "04", CUT, "QKV-04"),
    Passage("001:47", "**분해가 아니라 학습된 3개의 프로젝션**", "right", "Three for each head.", "04", CUT, "QKV-06"),
    Passage("001:51", "`$s_{ij} = (q_i · k_j) / \\sqrt{d_k}$`", "right", "It is the first line of equation (1.2), and the loop below that equation computes it.", "01", SIX, "SCO-05"),
    Passage("001:59", "**단일 $V$ 선택이 아니라 가중합**", "right", "", "01", "Look it up, or average it?", "RET-02"),
    Passage("001:61", "$\\alpha_{ij}$가 한 위치에 몰리면 “사실상 하나 선택”처럼 보일 수 있음.", "right", "", "01", "The dial", "RET-03"),
    Passage("001:64", "지금 필요한 정보 조건", "right", "The search in numbers: the condition of *The* is its query, (1, 0).", "01", HAND, "RET-04"),
    Passage("001:65", "각 위치의 검색용 태그(매칭 표현)", "right", "The tags of *The* and *cat* are their keys, (1, 1) and (0, 1).", "01", HAND, "RET-05"),
    Passage("001:66", "실제로 가져올 내용(본문 표현)", "right", "The contents are the values, (1, 2) and (9, 8). A search brings one of them; attention brings %(w).3f of the first and %(v).3f of the second.", "01", HAND, "RET-06"),
    Passage("001:70", "모든 위치의 K와 비교해 관련도 계산", "imprecise", "Softmax stands between comparing and mixing, and a mask may hide positions.", "05", "The mask, the wrong way first", "RET-07"),
    Passage("001:74", "매칭에 유리한 표현(K)과 전달할 내용(V)을 동일하게 둘 필요가 없기 때문", "right", "Measured there: one matrix is taken away at a time.", "04", "Why three?", "RET-08"),
    Passage("001:77", "토큰: [나는, 밥을, 먹었다]", "imprecise", "Whole words are the tokens here, to keep it small. Real models read pieces of words.", "04", VERB, "KOR-01"),
    Passage("001:80", "각 토큰의 구분 표식(주어/목적어/동사 등)", "imprecise", "A key is a learned vector and comes with no such label. Some heads of trained models follow these relations; none has to.", "04", VERB, "KOR-03"),
    Passage("001:82", "**문맥이 반영된 동사 표현**으로 업데이트.", "right", "Over all three words, the verb itself included.", "04", VERB, "KOR-05"),
    Passage("001:85", "각 패치를 임베딩 $x_p$로 변환.", "imprecise", "$x_p$ is the patch laid flat; its embedding is $x_p E$. And 16 × 16 counts the pixels in a patch, not the patches.", "08", "From patch to token", "VIT-01"),
    Passage("001:87", "“공” 패치가 “발/선수/골대” 패치의 $K$와 잘 매칭되면", "right", "Trained and measured there, with a ball, a goal and players.", "08", "Where is the goal?", "VIT-03"),
    Passage("001:93", "“질문은 디코더가 만들고, 자료는 인코더에서 가져온다.”", "right", "", "05", SOURCES, "SVC-06"),
    Passage("001:96", "초기 임베딩/프로젝션은 의미가 거의 없음.", "right", "", "09", ENDS, "EMB-01"),
    Passage("001:97", "목적함수(다음 토큰 예측, 분류, 자기지도 등)를 줄이도록", "right", "Next-token prediction is itself one kind of self-supervision.", "09", "Three kinds of objective", "EMB-02"),
    Passage("001:103", "Q로 K를 검색해, 관련도 가중치로 여러 V를 섞어", "right", "", "01", "Summary", "SUM-01"),
    Passage("001:109", "`[[Transformer]]`", "right", "", "07"),
    Passage("001:110", "`[[Vision Transformer]]`", "right", "", "08"),
    Passage("001:111", "`[[Self-Attention]]`", "right", "", "05"),
    Passage("001:112", "`[[Cross-Attention]]`", "right", "", "05"),
    Passage("001:113", "`[[Bahdanau Attention]]`", "right", "", "03"),
    Passage("001:114", "`[[Multi-Head Attention]]`", "right", "", "06"),
    Passage("002:1", "동일 시퀀스에 있는 모든 다른 위치와 상호 작용하여", "imprecise", "With all positions, itself included: *journey* gives its largest weight, %(self).4f, to itself.", "01", SIX, "DEF-08"),
    Passage("002:3", "Key를 “임베딩 그대로” 쓰지 않는다.", "right", "", "04", ROLES, "QKV-08"),
    Passage("002:4", "Key(K)는 항상 위치 정보가 포함된 X에서 만들어진다.", "wrong", "In the first Transformer position is added once, below the first layer. RoPE turns queries and keys after the projection, ALiBi and T5 add to the score, and decoders without any position code also learn.", "04", "Where is the order?", "QKV-10"),
    Passage("002:6", "실무에서는", "wrong", "Only in a teaching example; in practice each is a learned projection of the inputs.", "04", CUT, "QKV-11"),
    Passage("002:9", "`scores = Q @ K.T`", "imprecise", "`.T` is for one matrix. For a batch it is `.mT`, which turns the last two axes.", "04", CUT, "API-02"),
    Passage("002:11", "각 값은 $0$과 $1$ 사이의 값으로 변환됩니다.", "right", "", "02", GAP, "SMX-04", "1"),
    Passage("002:11", "몇 %의 비중을 두어 정보를 가져올지", "imprecise", "Right as shares of a mixture; not as the reason for an answer.", "09", REASON, "SMX-05", "1"),
    Passage("002:11", "수치적 안정성", "wrong", "exp is the unstable part: it overflows above %(f32).2f in 32 bits, %(f64).2f in 64. Subtracting the largest score brings stability.", "02", "Take away the largest", "SMX-06", "2"),
    Passage("002:11", "스코어 간의 미세한 차이를 크게 증폭시키는 효과", "wrong", "The ratio of two weights is e to the gap: for the note's own gap of %(gap).4f it is %(ratio).3f.", "02", GAP, "SMX-07", "2"),
    Passage("002:11", "관련 없는 요소에는 $0$에 가까운 아주 작은 가중치를 부여하여", "imprecise", "Only where gaps are large, and never exactly 0. The weights of *journey* run from %(low).3f to %(self).3f.", "02", ENDS, "SMX-08", "2"),
    Passage("002:11", "모든 지점에서 매끄럽게 미분 가능합니다.", "right", "Equation (2.2) has the slopes.", "02", SLOPE, "SMX-09", "3"),
    Passage("002:11", "그레이디언트(Gradient)가 잘 전달되도록 설계되어 있어", "imprecise", "Not where a weight is near 0 or 1. Of two weights with the gap 10, the slope is %(flat).5f; with equal scores it is %(steep).2f. The note's own reason 4 says so.", "02", SLOPE, "SMX-10", "3"),
    Passage("002:11", "입력 값의 차원($\\sqrt{d_k}$)으로 나누어주는 Scaling", "imprecise", "By the *root* of the length of a query or key; not by that length, and not by the length of the word's vector.", "02", "Scores grow with d", "SCL-03", "4"),
    Passage("002:11", "'포화 상태(Saturation)'를 방지하기 위함입니다.", "right", "Large scores do saturate. That alone does not single out the root.", "02", "Which divisor?", "SCL-04", "4"),
    Passage("002:11", "비중의 차이를 극대화하고", "wrong", "Picking the largest (argmax) does that; softmax is its smooth form, and dividing by √d reduces the contrast on purpose.", "02", GAP, "SMX-11", "summary"),
    Passage("002:11", "학습 가능한 매끄러운 기울기(Gradient)", "imprecise", "Slopes are not learned: the matrices are, by means of the slopes. And there are other weights than softmax's.", "02", FREE, "SMX-12", "summary"),
    Passage("002:11", "원하시면 관련 수식과 함께 더 깊게 설명해 드릴 수 있습니다.", "imprecise", "The rest of a chat, like lines 29 and 30 and the first line of note 003. It teaches nothing, and the book leaves it out.", claim="REF-05"),
    Passage("002:14", "Q = inputs @ W_q  # Query 변환", "right", "", "04", CUT, "QKV-12"),
    Passage("002:21", "`attn_scores = Q · K^T`", "imprecise", "Line 18 divides by √d and this line does not. Divided by √3, the weights of *journey* are %(scaled)s. And Python's operator is `@`.", "01", SIX, "SCO-07"),
    Passage("002:24", "`attn_weights = softmax(attn_scores)`", "imprecise", "The axis must be named, `dim=-1`: that of the keys.", "01", "Along which axis?", "SMX-13"),
    Passage("002:32", "구체적 예시", "imprecise", "Without its source: the six words are from chapter 3 of Raschka's *Build a Large Language Model (From Scratch)*. The misprints are the note's own.", "01", SIX, "REF-04"),
    Passage("002:34", "Attention Weights (확률 분포)", "wrong", "Printed, *journey* sums to %(journey).4f and the rows of the matrix to %(sums)s.", "01", SIX, "SMX-14"),
    Passage("002:35", "`attn_weights_2 = [0.1386, 0.2379, 0.2331, 0.1237, 0.1082, 0.1581]`", "wrong", "They are %(weights)s.", "01", SIX, "WEX-08"),
    Passage("002:50", "journey의 기여 (가장 큼!)", "right", "By weight and by length. In the first number *starts* gives more, %(starts).3f against %(own_part).3f.", "01", SIX, "WEX-09"),
    Passage("002:55", "`= [0.4419, 0.6515, 0.5683]`", "imprecise", "The right numbers, but not from the weights that are printed: those give %(by_printed)s.", "01", SIX, "WEX-10"),
    Passage("002:57", "`# Attention Weights: [6, 6]`", "wrong", "Of the 36 numbers below it %(m_wrong)d are wrong and %(m_mis)d misrounded.", "01", SIX, "WEX-11"),
    Passage("002:83", "`context_vectors = torch.matmul(attn_weights, values)`", "imprecise", "Both are lists here, and `matmul` takes tensors: wrap each in `torch.tensor`.", "04", CUT, "API-04"),
    Passage("002:98", "`= │ 0.44 0.59 0.64 │`", "wrong", "Of the 18 numbers in this box %(c_wrong)d are wrong and %(c_mis)d misrounded.", "01", SIX, "WEX-12"),
    Passage("002:105", "(확률 분포)              (원본 정보)          (문맥화된 표현)", "right", "Distribution, original information, the words in context: the last step there.", "01", SIX, "WEX-13"),
    Passage("002:111", "General Attention (실제 Transformer)", "wrong", "Both are self-attention, without and with trained weights. Its opposite is cross-attention; *general* is a score of Luong's.", "04", CUT, "SVC-07"),
    Passage("002:116", "Value는 Key와 다른 표현일 수 있음!", "right", "", "04", "Why three?", "QKV-13"),
    Passage("003:1", "**Attention의 실제 연산과정**", "imprecise", "The actual computation divides by √d before the softmax; this one leaves it out.", "02", "Scores grow with d", "SCL-06"),
    Passage("003:2", "간단한 **Self-Attention** 예제, 토큰 2개, 차원 2로 가정", "right", "", "04", ROLES, "SVC-08"),
    Passage("003:16", "가중치 행렬 (학습으로 얻어지는 파라미터)", "right", "", "04", ROLES, "QKV-14"),
    Passage("003:30", "`\\begin{align}`", "imprecise", "LaTeX does not allow `align` inside `$$`; `aligned` is meant.", claim="API-07"),
    Passage("003:40", "Attention Score (유사도 계산)", "imprecise", "A plain dot product. Divided by √2, the first row of weights is %(w).3f, %(v).3f; without it %(p0).3f, %(p1).3f.", "04", ROLES, "SCO-06"),
    Passage("003:51", "첫 번째 토큰(\"I\")이 스스로에게 1, 두 번째 토큰(\"play\")에게 0 점수", "right", "The same scores as in *The cat*.", "04", ROLES, "WEX-14"),
    Passage("003:62", "`$\\text{softmax}([1,0]) = [0.73,\\ 0.27]$`", "right", "Without the scale.", "04", ROLES, "WEX-15"),
    Passage("003:83", "**자신(0.73) + \"play\"(0.27)** 정보가 섞임", "right", "Outputs are equal to the weights only because $V$ is the identity.", "04", ROLES, "WEX-16"),
    Passage("003:92", "\"누구한테 얼마나 집중할지\" 계산", "right", "", "04", ROLES, "DEF-11"),
    Passage("004:1", "`from(https://velog.io/@sjinu/`", "imprecise", "Second-hand: text and pictures go back to page 22893 of wikidocs, the method to Luong et al., whom the note does not name.", "03", "Sources", "REF-03"),
    Passage("004:5", "인코더의 입력 시퀀스를 다시 참고", "right", "It looks at the encoder's *states*, one for each word.", "03", THIRD, "DEF-09"),
    Passage("004:12", "이 유사도를 키(Key)와 매핑되어 있는 각각의 '값(Value)'에 반영", "imprecise", "A step is missing: softmax makes weights of the scores, and the weights multiply the values.", "03", SHARES, "DEF-10"),
    Passage("004:15", "`### Dot-Product Attention`", "right", "Luong's, with the decoder's *current* state.", "03", SCORE, "LUO-01"),
    Passage("004:18", "Decoder의 세번째 LSTM Cell에서 출력 단어를 예측할 때", "right", "The same step, in numbers and in the same colours. The networks trained there have GRU cells.", "03", THIRD),
    Passage("004:22", "예측 단어와 encoder의 모든 시퀀스('I', 'am', 'a', 'stduent')의 관계", "imprecise", "The query is the decoder's state; the word is not known yet. (The fourth word is *student*.)", "03", SCORE, "LUO-02"),
    Passage("004:23", "softmax를 이용함으로써 이루어집니다.", "imprecise", "The dot product compares. Softmax only makes shares of the scores.", "03", SHARES, "SMX-15"),
    Passage("004:26", "softmax를 통과시킨 input sequence(즉, 확률분포; 위 그림의 초록색 삼각형)", "wrong", "Softmax is applied to the scores; what the decoder receives is the weighted sum of the encoder states. That is the green triangle.", "03", HANDED, "LUO-03"),
    Passage("004:27", "Recurrent하게 전달된 정보 외에도 input sequence의 정보를 참고할 수 있는 길(path)을 마련", "right", "", "03", HANDED, "LUO-04"),
    Passage("004:29", "t 시점에서 encoder의 hidden state", "imprecise", "Encoder and decoder count their steps apart: $h_i$ and $s_t$. In Luong's paper $h_t$ is the *decoder's* state.", "03", EARLIER, "LUO-05"),
    Passage("004:33", "$h_t, s_t$를 활용해 Attention Score($e_t$)를 구한다.", "imprecise", "All of $h_1, \\dots, h_N$ with one $s_t$. After the three steps a fourth is missing, which makes the word.", "03", HANDED, "LUO-08"),
    Passage("004:40", "`$score(s_t ,h_i)=s_t^Th_i$`", "right", "", "03", SCORE, "SCO-08"),
    Passage("004:46", "$e_t=[s_t^{T}h_1, ..., s_T^{T}h_N]$", "wrong", "The last is $s_t^\\top h_N$: all scores of a step use one decoder state.", "03", SCORE, "SCO-09"),
    Passage("004:51", "모든 값의 합이 1이 되는 확률 분포 Attention Distribution을 얻습니다.", "right", "", "03", SHARES, "SMX-16"),
    Passage("004:53", "가 아닌 $α^t$입니다.", "imprecise", "Two things with two names: $\\alpha^t$ are the weights, one for each word; $a_t$ is the context, as long as a state. In Luong's paper $a_t$ are the weights.", "notation", "Whose letter is whose", "LUO-10"),
    Passage("004:56", "이에 대한 식은 아래와 같이 기술할 수 있습니다.", "imprecise", "The right formula in the wrong place: it is Step 3, whose heading is missing.", "03", SUM, "LUO-11"),
    Passage("004:60", "Context Vector(맥락 벡터) 라고도 불립니다", "right", "Here it is $c_t$.", "03", SUM, "LUO-12"),
]  # fmt: skip

# the four numbered reasons for softmax in line 11 of note 002: as the note names them, in English, verdict
REASONS = {
    "1": ("확률 분포로의 변환 (가중치 해석)", "the weights are a distribution", "right"),
    "2": (
        "수치적 안정성과 지수 함수($e^x$)의 특성",
        "numerical stability, and what exp does",
        "wrong: exp is what overflows, and it leaves small gaps small",
    ),
    "3": (
        "미분 가능한 연결 (학습의 용이성)",
        "it has a derivative",
        "right, but a weight near 0 or 1 hardly has a slope",
    ),
    "4": (
        "극한 값 제어 (Scaled Dot-Product)",
        "scaling prevents saturation",
        "right, but it belongs to the scale and not to softmax",
    ),
    "summary": ("요약하자면", "in short", "wrong: softmax does not maximise differences"),
}

# word of the notes, where, word of this book in Korean and English
WORDS = [
    ("투영 · 프로젝션", "001:42, 47", "사영", "projection"),
    ("맥락 벡터", "004:60", "문맥 벡터", "context vector"),
    ("어텐션 값", "004:13, 60", "문맥 벡터", "context vector"),
    ("유사도", "000:22, 001:27, 003:40, 004:11", "점수", "score"),
    ("관련도", "001:70", "점수", "score, and after softmax weight"),
    ("중요도 · 집중도", "000:5, 50", "가중치", "weight"),
    ("확률 분포", "002:11, 004:51", "어텐션 분포", "attention distribution"),
    ("소프트 선택", "001:19", "소프트 선택", "soft selection"),
]

# letter of the notes, where, letter of this book, what it is
LETTERS = [
    ("$a_t$", "004:32", "$c_t$", "context, the weighted sum of encoder states"),
    ("$e_t$", "004:37", "$e^t_i$", "score of encoder state $i$ at step $t$; $e_t$ is all of them"),
    ("$h_t$", "004:29", "$h_i$", "state of the encoder after word $i$"),
    ("$N$", "004:43", "$m$", "how many encoder states, and so keys"),
    ("$W_Q$, $W_K$, $W_V$", "001:44, 003:19", "$W_q$, $W_k$, $W_v$", "the learned projections"),
    ("$x_p$", "001:85", "$x_p^i E$", "embedding of a patch; $x_p^i$ alone is the patch laid flat"),
]

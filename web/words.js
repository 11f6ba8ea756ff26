// What the scripts of a page say; made by web/korean.py from locale/ko/site.po.
{
  const known = KNOWN;
  const pattern = (english) => english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{#\d\}/g, "(\\d+)")
    .replace(/\{\d\}/g, "(.+)");
  const forms = Object.keys(known).filter((english) => english.includes("{1}")).sort((a, b) => b.length - a.length)
    .map((english) => [new RegExp(`^${pattern(english)}$`), known[english]]);
  globalThis.inWords = (text) => {
    const key = text.trim();
    if (Object.hasOwn(known, key)) return text.replace(key, () => known[key]);
    for (const [form, said] of forms) {
      const found = form.exec(key);
      if (found) return text.replace(key, () => said.replace(/\{#?(\d)\}/g, (_, i) => inWords(found[i])));
    }
    return text;
  };
}

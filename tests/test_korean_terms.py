"""No Korean text of the book has a term that readers stumbled over: the field has another word for it."""

import re

import polib
import pytest

from book.catalogue import file, translatable
from book.chapter import ROOT

OLD = {  # a pattern: the word instead; an old word may stand in brackets behind the new one
    "사영": "투영",
    "하한선": "기준선",
    "시작값": "초깃값, 시드",
    "판독": "출력층",
    "맞는 프로그램": "정답 구현",
    "가중치 지도": "어텐션 맵",
    "묶은 행렬": "가중치 공유",
    "문맥화한": "문맥화된",
    "데이터 집합": "데이터셋",
    "굽은 함수": "비선형 함수",
    "가산 점수": "덧셈 방식 점수",
    "매개변수": "파라미터",
    "순방향 신경망": "피드포워드 신경망",
    "표준 편차": "표준편차",
    r"\d +%": "% right behind the digit",
    r"채점이(?= )": "채점기가",
    "노트북으로 저장": "주피터 노트북 파일(.ipynb)로 저장",
    "이 부분 신고": "오류 제보",
    "전체 화면으로보기": "전체 화면으로 보기",
}
SIZE = re.compile("크기(?:가|는)? 1(?![0-9])")  # of numbers; wrong where the English has the standard deviation
DEVIATION = re.compile("standard deviation|size 1(?![0-9])")
ALSO = re.compile(r"(?<=\*\*)\([^)]*\)| · [^·<]+(?=[^<>]*</span>)")  # behind a term: what else it is called
NOTES = re.compile(r'<span lang="ko">.*?</span>|“[^”]*”')  # what the source notes say stays as they say it
GLOSSARY = ROOT / "pages" / "glossary.md"


def list_old(english, korean):
    """Yield each old term of a translation, with the word instead."""
    korean = ALSO.sub("", korean)
    korean = korean if "| <span" in korean else NOTES.sub("", korean)  # the glossary's words are ours
    for pattern, instead in OLD.items():
        if found := re.search(pattern, korean):
            yield f"{found[0]} → {instead}"
    if DEVIATION.search(english) and (found := SIZE.search(korean)):
        yield f"{found[0]} → 표준편차 1"


@pytest.mark.parametrize("page", translatable())
def test_no_old_term_is_left(page):
    catalogue = polib.pofile(str(file(page)), wrapwidth=0)
    entries = [entry for entry in catalogue if entry.translated()]
    found = [(entry.linenum, old) for entry in entries for old in list_old(entry.msgid, entry.msgstr)]
    assert found == []


def test_the_glossary_has_the_new_terms():
    first = re.findall(r'^\| [^|]+ \| <span lang="ko">([^·<]+)', GLOSSARY.read_text("utf-8"), re.M)  # the word we use
    assert [old for words in first for old in list_old("", words)] == []


@pytest.mark.parametrize(
    "korean, number",
    [
        ("투영하고 기준선과 견주어요. 33%예요.", 0),
        ('노트에는 <span lang="ko">가산 점수</span>라고 적혀 있어요.', 0),
        ("**투영**(projection, 사영이라고도 해요)이에요. 둘은 투영이에요.", 0),
        ('| rank | <span lang="ko">투영 · 사영 · 프로젝션</span> | 사영 |', 1),
        ("채점이 하는 말은 33 %, 사영은 하한선.", 4),
        ("이 채점기가 맞는 프로그램을 받아들여요.", 1),
        ("숫자를 평균 0, 크기 1로 맞춰요.", 1),
    ],
)
def test_old_terms_are_found_and_new_ones_are_not(korean, number):
    assert len(list(list_old("mean 0 and standard deviation 1", korean))) == number

"""A class of 60, half of it Korean, and the ten ways in which platforms and people hand over its notebooks.

`PEOPLE` are students whose names are hard to tell apart, `LAYOUTS` write their files and a roster, and `HANDED_IN` says
what each of them made of chapter 01, from the table of `bad_class.py`.
"""

import io
import unicodedata
import zipfile
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import quote

STEM = "01_definition"


class Person(NamedTuple):
    number: int  # 학번, or the SIS's
    family: str
    given: str
    login: str

    @property
    def is_korean(self):
        return "가" <= self.family[0] <= "힣"

    @property
    def name(self):
        return self.family + self.given if self.is_korean else f"{self.given} {self.family}"

    @property
    def turned(self):
        """The name as a platform writes it that knows no Korean."""
        return f"{self.given} {self.family}"

    @property
    def canvas(self):
        """Canvas's number."""
        return self.number - 20_260_000 + 700


KOREANS = """최 수빈, 강 산, 김 민준, 김 민준, 이 진수, 남궁 민수, 정 리, 황보 라온, 박 서연, 이 슬, 윤 도현, 김 민수,
    김 민수아, 한 글, 이 서준, 조 은우, 장 하윤, 임 지호, 오 세훈, 서 예린, 신 유나, 권 나라, 유 비, 문 장, 손 수,
    안 나, 고 은, 백 지우, 제갈 공명, 선우 진"""
OTHERS = """Le Van, Van Le, Py Co, Lee Ann, Lee Joann, García_López José, Müller-Kühn Max, Muster Max, O’Neil Sean,
    Sun Lin, Lin Dan, Ross Bob, 李 明, 王 芳, Nguyễn Văn_An, Yılmaz İpek, Kim Min, Kim Min, Kim Ji-eun, Park Ji_eun,
    Smith Jane, Smith Janet, Øvergård Åse, Silva João, Ivanova Ольга, Haddad Omar, Okafor Chi, de_la_Cruz Ana,
    Fußmann Grete, Final New"""
LOGINS = {"Van Le": "levan", "Le Van": "vanle", "Co Py": "copy", "Dan Lin": "dan", "Lin Sun": "max", "Max Muster": "mm"}


def _make(people):
    for place, text in enumerate(people, start=1):
        family, given = (word.replace("_", " ") for word in text.split())
        login = LOGINS.get(f"{given} {family}", f"u{place:02}{'k' if '가' <= family[0] <= '힣' else 'x'}")
        yield Person(20_260_000 + 37 * place, family, given, login)


PEOPLE = [*_make([text.strip() for text in f"{KOREANS}, {OTHERS}".replace("\n", " ").split(",")])]
NAMESAKES = [one for one in PEOPLE if sum(other.name == one.name for other in PEOPLE) > 1]


def list_rows(header, form):
    return header + "\n" + "".join(form.format(p=person) + "\n" for person in PEOPLE)


BY_NUMBER = list_rows("번호,학번,성명,학과,이메일", "1,{p.number},{p.name},컴퓨터공학과,{p.login}@example.ac.kr")
CANVAS = list_rows(
    "Student,ID,SIS User ID,SIS Login ID,Section", '"{p.family}, {p.given}",{p.canvas},s{p.number},{p.login},1'
)
GOOGLE = list_rows("성,이름,이메일 주소", "{p.family},{p.given},{p.login}@example.ac.kr")
MOODLE = list_rows(
    "Identifier,Full name,Email address,Status,Grade", "Participant {p.canvas},{p.turned},{p.login}@x.org,,"
)
SCOPE = list_rows("First Name,Last Name,SID,Email", "{p.given},{p.family},{p.number},{p.login}@x.org")
GITHUB = list_rows("identifier,name,github_username", "{p.number},{p.name},{p.login}")
SUBMITTER = "submission_{p.canvas}9:\n  :submitters:\n  - :name: {p.turned}\n    :email: {p.login}@x.org\n"


def write_zip(names, korean_windows=False):
    """A zip archive; as Korean Windows writes it, its names are in EUC-KR and nothing says so."""
    made, packed = io.BytesIO(), {}
    with zipfile.ZipFile(made, "w") as archive:
        for place, (name, data) in enumerate(names.items()):
            if korean_windows:
                code = b"".join(map(_encode, name))
                name = f"{place:04}".ljust(len(code), "x")
                packed[name.encode()] = code
            archive.writestr(zipfile.ZipInfo(name), data)
    data = made.getvalue()
    for name, code in packed.items():
        data = data.replace(name, code)
    return data


def _encode(letter):
    """A letter in EUC-KR; one that it lacks loses its accent."""
    for one in (letter, unicodedata.normalize("NFKD", letter)[0]):
        with suppress(UnicodeEncodeError):
            return one.encode("euc_kr")
    return b"_"


def in_turn(*forms):
    """{path: bytes} of everybody, each by the next of these forms."""
    return lambda notebook: {
        forms[place % len(forms)].format(p=person, n=place + 1, stem=STEM): notebook(person)
        for place, person in enumerate(PEOPLE)
    }


def canvas(notebook):
    plain = {p: "".join(c for c in (p.family + p.given).casefold() if c.isalnum()) for p in PEOPLE}
    late = ["", "_LATE"]
    return {f"{plain[p]}{late[i % 2]}_{p.canvas}_99{i}_{STEM}-1.ipynb": notebook(p) for i, p in enumerate(PEOPLE)}


def scope(notebook):
    metadata = "".join(SUBMITTER.format(p=person) for person in PEOPLE)
    names = {f"assignment_1/submission_{p.canvas}9/내 과제.ipynb": notebook(p) for p in PEOPLE}
    return {"assignment_1/submission_metadata.yml": metadata.encode()} | names


def repositories(notebook):
    return {
        path: data
        for p in PEOPLE
        for path, data in {
            f"attention-01-{p.login}/.git/HEAD": b"ref",
            f"attention-01-{p.login}/{STEM}.ipynb": notebook(p),
        }.items()
    }


def own_zips(notebook):
    inner = "{p.name}/과제 1/01_definition.ipynb의 사본.ipynb"
    return {f"제출/{p.number}_{p.name}.zip": write_zip({inner.format(p=p): notebook(p)}) for p in PEOPLE}


def in_form(form, files):
    return lambda notebook: {unicodedata.normalize(form, name): data for name, data in files(notebook).items()}


def escaped(files):
    return lambda notebook: {"/".join(map(quote, name.split("/"))): data for name, data in files(notebook).items()}


ECLASS = in_turn(
    "[어텐션] {n}주차 {p.name}.ipynb",
    "{p.name}_과제1_최종.ipynb",
    "{stem}.ipynb의 사본 - {p.name}.ipynb",
    "{p.name}과제.ipynb",
    "{p.number} {p.name} 1주차 과제 제출합니다 (2).ipynb",
    "소프트맥스와 나의 풀이 {p.number}.ipynb",
    "{p.name}({p.number})_01.ipynb",
)
FREELY = in_turn(
    "{p.name} 과제.ipynb",
    "homework 1 final {p.name}.ipynb",
    "{stem}_{p.family}_{p.given}.ipynb",
    "Copy of {p.login}.ipynb",
)
LAYOUTS = {  # name: (roster, what makes {path: bytes} from each person's notebook, whether it is one zip archive)
    "Canvas": (CANVAS, canvas, True),
    "Moodle": (MOODLE, in_turn("{p.turned}_{p.canvas}_assignsubmission_file_/{stem}.ipynb"), True),
    "Moodle in Korean, names alone": (BY_NUMBER, in_turn("{p.name}_9{n}_assignsubmission_file/{stem}.ipynb"), True),
    "Gradescope": (SCOPE, scope, False),
    "GitHub Classroom": (GITHUB, repositories, False),
    "Google Classroom": (GOOGLE, in_turn("{p.name} - {stem}.ipynb", "{p.turned} - {stem}.ipynb의 사본"), False),
    "e-class": (BY_NUMBER, ECLASS, False),
    "e-class, a zip of Korean Windows": (BY_NUMBER, ECLASS, "Windows"),
    "e-class, escaped on its way": (BY_NUMBER, escaped(ECLASS), False),
    "zips of their own": (BY_NUMBER, own_zips, True),
    "a flat folder of macOS": (CANVAS, in_form("NFD", FREELY), False),
    "Blackboard": (GITHUB, in_turn("과제 1_{p.login}_attempt_2026-11-0{p.canvas}-10-00-00_{stem}.ipynb"), True),
}


# what everybody made of the chapter, by the names of `CLASS`

KINDS = """ann metadata-gone ids-gone all-marks-gone through-colab cells-duplicated reordered deleted format-3 windows
in-loops in-lists in-einsum in-korean with-tabs with-a-listing mounts-a-drive installs clones answers-in-markdown
took-another-name forgot-an-underscore in-other-numbers with-magic measures plots second-thoughts strange-cells
stored-50-mb kernel-unknown attempts-two named-no-test does-not-parse exits-in-the-answer looks-alike took-scipy
left-the-exception answers-in-words endless-loop memory-bomb memory-leak fork-bomb sleeps floods-callbacks
talks-on-the-line fills-the-disk patches-the-check equals-everything types-it-in lets-the-package-work hides-the-package
empty a-pdf an-office-file cut-off another-chapter exits tells-the-hidden-inputs searches-the-prediction
lets-a-thread-call""".split()
HANDED_IN = dict(zip(PEOPLE, KINDS, strict=True))

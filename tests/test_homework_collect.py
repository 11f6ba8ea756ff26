"""Whatever name a platform, a mail or Colab gave it: a notebook finds its student, or a person is asked."""

import io
import json
import os
import unicodedata
import zipfile
from datetime import datetime
from urllib.parse import quote

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from homework import collect as collecting
from homework.chapter import Unclear
from homework.collect import collect, files, store
from homework.collect.layouts import Layout
from homework.roster import read_roster, slug

STEM, NEXT = "01_definition", "02_softmax_and_scaling"
ROSTER = """id,name,email,number
jdoe,Jane Doe,jane.doe@example.org,40017
mk,Müller-Kühn Max,max@example.org,40018
sy,김서연,seoyeon@example.org,40019
li,Li,li@example.org,17
"""


def saved(tmp_path, text):
    """The students of a roster with these lines."""
    (tmp_path / "roster.csv").write_text(text, "utf-8")
    return read_roster(tmp_path / "roster.csv")


def bytes_of(text="x = 1"):
    return json.dumps(new_notebook(cells=[new_code_cell(text, id="a")])).encode()


def archive(path, names, when=(2026, 1, 2, 10, 0, 0)):
    """A zip archive of notebooks; each hour later than the one before."""
    with zipfile.ZipFile(path, "w") as zipped:
        for hour, (name, data) in enumerate(names.items()):
            zipped.writestr(zipfile.ZipInfo(name, (*when[:3], when[3] + hour, 0, 0)), data)
    return path


def collect_archive(tmp_path, names, roster=None):
    return collect(archive(tmp_path / "all.zip", names), STEM, roster)


@pytest.fixture
def roster(tmp_path):
    return saved(tmp_path, ROSTER)


CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Essay (77)
    Points Possible,,,,,10
"Lee, Ji-eun",501,u1,jieun2,S1,7
"Lee, Jieun",502,u2,jieun,S1,10
"Student, Test",503,,test,S1,
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum Grade
Participant 4711,Kim Min,min@example.org,Submitted,,6
Participant 4712,Kim Min,kim.min@example.org,Submitted,,6
"""
CLASSROOM = """Last Name,First Name,Email Address,Homework
Date,,,2026-01-05
Points,,,6
Class average,,,
Doe,Jane,jane@example.org,
Lin,Dan,dan@example.org,
Sun,Lin,lin@example.org,
"""
SCOPE = (
    "First Name,Last Name,SID,Email,Role\nJane,Doe,7001,jane@example.org,Student\nBo,Li,7002,bo@example.org,Student\n"
)
NUMBERED = "id,name\n" + "".join(f"{i},{chr(97 + i // 10)}{chr(97 + i % 10)}bert Surname\n" for i in range(1, 41))
LEES = "id,name\nann,Ann Lee\njoann,Joann Lee\nli,Li\n"
CODES = "id,name\nA1,Jane Doe\nA2,Bo Li\n"
MAILS = "email,name\nmax@x.org,Max Muster\nross@x.org,Bob Ross\n"
OWNERS = {  # roster: {path: whose it is; several who cannot be told apart; or None}
    "": {  # without a roster the name is read from the path
        "doejane_12345_678910_01_definition.ipynb": "doejane",
        "doejane_LATE_12345_678910_01_definition-2.ipynb": "doejane",
        "Jane Doe_123456_assignsubmission_file_/01_definition.ipynb": "jane-doe",
        "Jane Doe_123456_assignsubmission_file_01_definition.ipynb": "jane-doe",
        "Homework 1_jdoe_attempt_2026-01-31-10-00-00_01_definition.ipynb": "jdoe",
        "jane/01_definition.ipynb": "jane",
        "chapter 1/jane/Copy of 01_definition.ipynb": "jane",
        "jane.ipynb": "jane",
        "01_definition_jane doe (1).ipynb": "jane-doe",
        "Copy of 01_definition - Jane.ipynb": "jane",
        "eve_12345_678911_ann_attempt_2026-01-01-10-00-00_x.ipynb": "eve",
        "HW_eve_attempt_2026-01-01-10-00-00_ann_attempt_2026-01-01.ipynb": "eve",
        "김서연_12345_assignsubmission_file_/x.ipynb": "김서연",
        "Copy of 01_definition.ipynb": None,
        "01_definition (2).ipynb": None,
    },
    ROSTER: {  # exactly one of its students is meant
        "doejane_12345_678910_01_definition.ipynb": "jdoe",
        "Jane DOE_9_assignsubmission_file_/x.ipynb": "jdoe",
        "jane.doe.ipynb": "jdoe",
        "40018.ipynb": "mk",
        "Max Muller-Kuhn.ipynb": "mk",
        "김서연 01_definition.ipynb": "sy",
        "homework_17.ipynb": None,
        "homework_117.ipynb": None,
        "01_definition.ipynb": None,
        "somebody else.ipynb": None,
        "jane doe and seoyeon.ipynb": {"jdoe", "sy"},
        "40018_softmaxmask (2).ipynb": "mk",
        "max.ipynb": "mk",
        "Max Meier - 01.ipynb": None,
        "Jane Doe Smith.ipynb": None,
        "Jane Doe final v2.ipynb": "jdoe",
        "17_01_definition.ipynb": "li",
        "01_definition(17).ipynb": None,
        "max_jane doe_01_definition.ipynb": {"jdoe", "mk"},
    },
    LEES: {  # one student's file cannot be called another's
        "annlee_12345_678911_joannlee.ipynb": "ann",
        "joannlee_12_34_annlee.ipynb": "joann",
        "li_12_34_annlee.ipynb": "li",
        "li/x.ipynb": "li",
        "annlee and joannlee.ipynb": {"ann", "joann"},
    },
    # a platform's number or an id decides, then a whole name; two people are refused
    CANVAS: {
        "leejieun_501_88_x.ipynb": "jieun2",
        "leejieun_LATE_502_88_x.ipynb": "jieun",
        "leejieun_999_88_x.ipynb": {"jieun", "jieun2"},
    },
    MOODLE: {
        "Kim Min_4711_assignsubmission_file/x.ipynb": "participant-4711",
        "Kim Min_4712_assignsubmission_file_/x.ipynb": "participant-4712",
        "Kim Min.ipynb": {"participant-4711", "participant-4712"},
    },
    CLASSROOM: {
        "Dan Lin - 02_softmax_and_scaling.ipynb": "dan-example-org",
        "Lin Sun - 02_softmax_and_scaling.ipynb": "lin-example-org",
        "Copy of 02_softmax_and_scaling.ipynb": None,
        "Lin Zhao - 02_softmax_and_scaling.ipynb": None,
    },
    SCOPE: {"7002_02_softmaxmask.ipynb": None, "02_softmax_7002.ipynb": "7002"},
    NUMBERED: {
        "Copy of 01_definition(7).ipynb": None,
        "ahbertsurname_12345_6789_01_definition-1.ipynb": "7",
        "01.ipynb": None,
        "07.ipynb": None,
    },
    CODES: {"A1_02_softmax.ipynb": "a1", "A1_Bo Li.ipynb": {"a1", "a2"}, "A1_somebody.ipynb": None},
    "id,name\n2026030,Jane Doe\n2026031,Bo Li\n": {"2026030_02_softmaxmask.ipynb": "2026030"},
    MAILS: {"Bob Ross - 02_softmax.ipynb": "ross-x-org", "02_softmax_and_crossattention.ipynb": None},
    # names are known in every order, and a family name alone is nobody
    "id,name\na,김민수\nb,이서준": {"민수 김_123_assignsubmission_file_/x.ipynb": "a"},
    "id,name\na,García López José\nb,Kim": {"José García López_123_assignsubmission_file_/x.ipynb": "a"},
    "id,last name,first name\na,Kim,Minsu\nb,Kim,Jieun": {"kimminsu_12345_678910_x.ipynb": "a"},
    "id,last name,first name\na,Kim,Minsu\nb,Lee,Jieun": {"kimcheolsu_12345_678910_x.ipynb": None},
    "id;name\na;李明\nb;王芳": {"李明_12345_678910_x.ipynb": "a"},
}
FINALS = """학번,성명
2021130001,정하늘
2021130002,최종
2021130003,장미
2021130004,제갈공
2021130005,한빛
2021130006,조은
2021130007,Ann Lee
2021130008,Bob Ray
"""
OWNERS |= {
    FINALS: {  # what any human reads; an exact id wins over a word that is also a name, which alone is nobody
        "2021130001_정하늘_최종.ipynb": "2021130001",
        "2021130003_최종.ipynb": "2021130003",
        "장미_최종_진짜최종.ipynb": "2021130003",
        "최종.ipynb": None,
        "최종_6장과제.ipynb": None,
        "KakaoTalk_20261120_231405123_정하늘.ipynb": "2021130001",
        "KakaoTalk_20261120_231405123_2021130001.ipynb": "2021130001",
        "KakaoTalk_20261120_231405123.ipynb": None,
        "제갈공님의 파일/KakaoTalk_20261120_231405123.ipynb": "2021130004",
        "장미님의 파일/a.ipynb": "2021130003",
        "3학년조은hw6.ipynb": "2021130006",
        "3학년 조은 hw6.ipynb": "2021130006",
        "한빛-과제최종 (2).ipynb": "2021130005",
        "homework from Ann Lee.ipynb": "2021130007",
        "NLP_Ann_Lee_hw6_v2_fixed.ipynb": "2021130007",
        "Ann Lee's homework.ipynb": "2021130007",
        "Re_ Fwd_ homework from Ann Lee/attachment_1.ipynb": "2021130007",
        "Bob Ray.pdf": "2021130008",
        "Bob Ray.7z": "2021130008",
        "homework from Ann Lee and Bob Ray.ipynb": {"2021130007", "2021130008"},
        "장미_한빛_과제최종.ipynb": {"2021130003", "2021130005"},
        "Ann Lee Smith.ipynb": None,
    },
}
LEVANS = "id,name\nlevan,Le Van\nvanle,Van Le\ncopy,Co Py\n"
KOREANS = """번호,학번,성명,이메일
1,20261001,최수빈,subin@example.ac.kr
2,20261002,강산,san@example.ac.kr
3,20261003,김민준,minjun@example.ac.kr
4,20261004,김민준,mj@example.ac.kr
5,20261005,이진수,jinsu@example.ac.kr
6,20261006,남궁민수 (Namgung Minsu),ngms@example.ac.kr
7,20261007,정리,jr@example.ac.kr
"""
KOREAN_CLASSROOM = "성,이름,이메일 주소\n김,민준,mj@x.kr\n최,수빈,sb@x.kr\n"
KOREAN_CANVAS = 'Student,ID,SIS Login ID,Section\n"김, 민준",501,mj,1\n"김, 민준",502,minjun,1\n"최, 수빈",503,sb,1\n'
OWNERS |= {
    LEVANS: {  # an exact id wins over a name
        "attention-01-levan/01_definition.ipynb": "levan",
        "HW_vanle_attempt_2026-01-01-10-00-00_x.ipynb": "vanle",
        "levan.ipynb": "levan",
        "12-34 - Le Van - Jan 5, 2026 1005 AM/x.ipynb": {"levan", "vanle"},
        "Le Van - 01.ipynb": {"levan", "vanle"},
        "copy/01_definition.ipynb": "copy",
        "attention-copy/01_definition.ipynb": None,
        "Copy of 01_definition.ipynb": None,
    },
    KOREANS: {  # beside usual words in any form of Unicode, and a whole name of three syllables beside any words
        "최수빈 과제.ipynb": "20261001",
        "최수빈_과제1_최종.ipynb": "20261001",
        "[어텐션] 1주차 강산.ipynb": "20261002",
        "01_definition.ipynb의 사본 - 최수빈": "20261001",
        "최수빈의 01_definition.ipynb의 사본(2).ipynb": "20261001",
        "숫자로 보는 어텐션 - 어텐션은 무엇을 계산할까 - 강산.ipynb": "20261002",
        "최수빈과제1.ipynb": "20261001",
        "20261003김민준.ipynb": "20261003",
        "김민준(20261004)_1_01_definition.ipynb": "20261004",
        "김민준_20261004_01_01_definition.ipynb": "20261004",
        "과제1_20261001_01_최수빈.ipynb": "20261001",
        "소프트맥스 정리 최수빈.ipynb": "20261001",
        "민수 남궁 - 01_definition.ipynb": "20261006",
        "Minsu Namgung - 01_definition.ipynb": "20261006",
        "subin.ipynb": "20261001",
        "20261001_최수빈_91234_assignsubmission_file_/01_definition.ipynb": "20261001",
        "김민준(20261004)_91234_assignsubmission_file_/01_definition.ipynb": "20261004",
        "[과제] 최수빈 <subin@example.ac.kr>/01_definition.ipynb": "20261001",
        "20261001_최수빈_20261124_153000_x.ipynb": "20261001",
        "Submitted files/최수빈/과제1/Version 2/01_definition.ipynb": "20261001",
        "김민준.ipynb": {"20261003", "20261004"},
        "최수빈 이진수 과제.ipynb": {"20261001", "20261005"},
        "이진수_20261001.ipynb": {"20261001", "20261005"},
        "소프트맥스 정리.ipynb": None,
        "수빈.ipynb": None,
        "최수빈아.ipynb": None,
        "어텐션 과제 (2).ipynb": None,
        "이진수 계산/최수빈.ipynb": {"20261001", "20261005"},
        "이진수/최수빈.ipynb": "20261005",
    },
    KOREAN_CLASSROOM: {"김민준 - 02_softmax.ipynb": "mj-x-kr", "수빈 최 - 02_softmax.ipynb": "sb-x-kr"},
    KOREAN_CANVAS: {
        "김민준_501_88_x.ipynb": "mj",
        "김민준_LATE_502_88_x.ipynb": "minjun",
        "민준김_502_88_x.ipynb": "minjun",
        "수빈_최.ipynb": "sb",
        "김민준_777_88_x.ipynb": {"mj", "minjun"},
    },
}
GLUED = """학번,이름
20231395,Juan García
20231396,Grace Page
20231397,Soo Ah Choi
20231398,김민준
20231399,허균
20231400,خالد عمر
20231401,Đức Huy Trần
20231402,Łukasz Żak
20231403,Søren Kjær
20231404,정리
"""
DATED = """학번,이름
20251104,박지호
20250914,허균
20250915,정하준
1001,이유진
1002,김하늘
1003,장미
1004,이하나
"""
OWNERS |= {
    GLUED: {  # a number and letters in one word
        "20231395Juan.ipynb": "20231395",
        "20231395García Juan.ipynb": "20231395",
        "hw20231395.ipynb": "20231395",
        "20231395hw1.ipynb": "20231395",
        "hw_20231395garcia.ipynb": "20231395",
        "제출_20231395Garcia Juan.ipynb": "20231395",
        "20231395GracePage.ipynb": {"20231395", "20231396"},
        "20231395Grace Page.ipynb": {"20231395", "20231396"},
        "f20231395ab.ipynb": None,
        "120231395hw.ipynb": None,
        # a whole name of two words in letters beside Korean words, numbers, and words that everybody uses
        "Grace Page 과제입니다.ipynb": "20231396",
        "교수님 Grace Page.ipynb": "20231396",
        "Grace Page 보낸 파일.ipynb": "20231396",
        "Grace Page 컴퓨터공학과.ipynb": "20231396",
        "Dear Professor Grace Page.ipynb": "20231396",
        "Grace Page resubmission.ipynb": "20231396",
        "2025-09-14 23.10 Grace Page.ipynb": "20231396",
        "2025-09-14 23.10 Choi Soo Ah 교수님 과제 제출합니다/a.ipynb": "20231397",
        "[어텐션] 3학년 Grace Page 1장 과제입니다.eml/Untitled0.ipynb": "20231396",
        "García Juan_Untitled0.ipynb": "20231395",
        "خالد عمر 컴퓨터공학과.ipynb": "20231400",
        "Grace Page 김민준 컴퓨터공학과.ipynb": {"20231396", "20231398"},
        "Grace Page Smith.ipynb": None,
        # a name of two syllables beside a date
        "KakaoTalk_20250914_2310_허균.ipynb": "20231399",
        "2025-09-14 23.10 허균 교수님 과제 제출합니다/a.ipynb": "20231399",
        "허균_20239999.ipynb": None,
        "소프트맥스 정리.ipynb": None,
        # letters that are no letter with an accent
        "Duc_Huy_Tran_HW1_final.ipynb": "20231401",
        "lukasz zak chapter 1 (3).ipynb": "20231402",
        "Soren Kjaer hw.ipynb": "20231403",
    },
    DATED: {  # what can be a date is nobody's number, unless the student's name or the platform confirms it
        "2025-09-15 과제.ipynb": {"20250915"},
        "01_definition 2025.09.15.ipynb": {"20250915"},
        "Screenshot 2025-09-15 at 11.10.ipynb": {"20250915"},
        "hw(2025 09 15).ipynb": {"20250915"},
        "제출 2025.11.04/hw.ipynb": {"20251104"},
        "최종_20251104.ipynb": {"20251104"},
        "KakaoTalk_20251104_2310.ipynb": {"20251104"},
        "KakaoTalk_20251104_231002_01.ipynb": {"20251104"},
        "홍길동_20251104_231002_x.ipynb": {"20251104"},
        "20251104_231002_12_x.ipynb": {"20251104"},
        "홍길동_20250915.ipynb": {"20250915"},
        "20251104 홍길동 과제.ipynb": {"20251104"},
        "20250915_박지호.ipynb": {"20250915", "20251104"},
        "20251104/김하늘.ipynb": {"20251104", "1002"},
        "20251104/박지호.ipynb": "20251104",
        "20250914_허균.ipynb": "20250914",
        "20260101_홍길동_장미.ipynb": None,
        "20260101_2310_장미.ipynb": "1003",
        "2026-1-1 홍길동 장미.ipynb": None,
        "학번20251104.ipynb": "20251104",
        "박지호_20251104_88_x.ipynb": "20251104",
        "박지호(20251104)_91234_assignsubmission_file_/x.ipynb": "20251104",
        "HW_20251104_attempt_2026-01-01-10-00-00_x.ipynb": "20251104",
        # two names that a particle joins are two people
        "김하늘과 박지호.ipynb": {"1002", "20251104"},
        "김하늘과박지호.ipynb": {"1002", "20251104"},
        "박지호 이유진이랑.ipynb": {"20251104", "1001"},
        "박지호랑 이유진.ipynb": {"20251104", "1001"},
        "이유진하고 박지호 과제.ipynb": {"20251104", "1001"},
        "이유진와박지호.ipynb": {"20251104", "1001"},
        "박지호&이유진.ipynb": {"20251104", "1001"},
        "박지호(이유진꺼 복사).ipynb": {"20251104", "1001"},
        "이유진이 박지호에게.ipynb": {"20251104", "1001"},
        # an ending is read after a name of three syllables
        "정하준님이 보낸 파일.ipynb": "20250915",
        "정하준이 보낸 파일.ipynb": "20250915",
        "박지호입니다(2).ipynb": "20251104",
        "이하나입니다.ipynb": "1004",
        "김하늘올림.ipynb": "1002",
        "김하늘드림.ipynb": "1002",
        "김하늘꺼.ipynb": "1002",
        "장미이.ipynb": None,
        "장미입니다.ipynb": None,
        "박지호진.ipynb": None,
    },
}
# handed in in chapter 1; the others in chapter 2
OF_CHAPTER_1 = ("", ROSTER, LEES, LEVANS, KOREANS, FINALS, DATED, GLUED)

EACH = [pytest.param(roster, path, id=path) for roster, paths in OWNERS.items() for path in paths]


@pytest.mark.parametrize(("roster", "path"), EACH)
def test_the_name_of_a_file_tells_whose_it_is_or_that_nobody_knows(tmp_path, roster, path):
    layout = Layout(STEM if roster in OF_CHAPTER_1 else NEXT, saved(tmp_path, roster) if roster else {})
    owner = layout.owner((path,))
    assert (owner.students[0] if owner.students else owner.candidates or None) == OWNERS[roster][path]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize("path", OWNERS[KOREANS])
def test_korean_names_are_read_in_every_form_of_unicode(tmp_path, path, form):
    layout = Layout(STEM, saved(tmp_path, unicodedata.normalize(form, KOREANS)))
    owner = layout.owner((unicodedata.normalize(form, path),))
    assert (owner.students[0] if owner.students else owner.candidates or None) == OWNERS[KOREANS][path]


@pytest.mark.parametrize(
    "packed",
    [
        "최수빈 과제.ipynb".encode("euc_kr").decode("cp437"),
        "최수빈 과제.ipynb".encode().decode("cp437"),
        "최수빈 과제.ipynb".encode().decode("latin-1"),
        "최수빈 과제.ipynb".encode("euc_kr").decode("latin-1"),
        quote("최수빈 과제.ipynb"),
        "".join(f"#U{ord(letter):04x}" if ord(letter) > 127 else letter for letter in "최수빈 과제.ipynb"),
    ],
)
def test_a_name_that_a_zip_has_mangled_is_read(tmp_path, packed):
    assert files.legible(packed) == "최수빈 과제.ipynb"
    (tmp_path / "roster").mkdir()
    assert list(collect_archive(tmp_path, {packed: bytes_of()}, saved(tmp_path / "roster", KOREANS))) == ["20261001"]


@pytest.mark.parametrize(
    "name",
    ["Müller.ipynb", "Ääri.ipynb", "100%.ipynb", "50%de.ipynb", "José Núñez.ipynb", "#Unit 1.ipynb", "a%2Fb.ipynb"],
)
def test_a_name_that_is_legible_stays(name):
    assert files.legible(name) == name


@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_a_korean_roster_is_read_as_excel_saves_it(tmp_path, code):
    (tmp_path / "roster.csv").write_bytes(KOREANS.encode(code))
    roster = read_roster(tmp_path / "roster.csv")
    assert [*roster][:2] == ["20261001", "20261002"] and "subin" in roster["20261001"].ids
    assert roster["20261006"].known >= {"남궁민수", "민수남궁", "namgungminsu", "minsunamgung"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('Student,ID\n"김, 민준",501\n', "김민준"),
        ("First Name,Last Name,SID\n민준,김,501\n", "김민준"),
        ("성,이름,학번\n남궁,민수,501\n", "남궁민수"),
        ('Student,ID\n"García López, José",501\n', "José García López"),
        ("Surname,First name,ID number\nGarcía,José,501\n", "José García"),
        ("Last Name,First Name,SID\n李,明,501\n", "李明"),
        ('No,"Student Name (Last, First)",Student ID\n1,"Lee, Ann",501\n', "Ann Lee"),
    ],
)
def test_a_korean_name_is_written_family_name_first_and_in_one_word(tmp_path, text, name):
    (student,) = saved(tmp_path, text).values()
    assert student.name == name


OF_IDS = ["Student ID", "student_id", "StudentID", "Student Number", "Student No.", "NetID", "Matrikelnummer"]


@pytest.mark.parametrize("header", [*OF_IDS, "학생번호", "로그인", "아이디", "교번"])
@pytest.mark.parametrize("before", ["No,Full name,{}\n1,", "이름,{}\n", "출석부,,\n,,\n번호,성명,{}\n1,"])
def test_the_column_of_ids_is_found_by_its_title_below_other_rows_too(tmp_path, header, before):
    first = before.format(header)
    lines = first + "Ann Lee,20210001.0\n" + first.rpartition("\n")[2] + "Ann Lee,20210002.0\n"
    assert [*saved(tmp_path, lines)] == ["20210001", "20210002"]


def test_a_roster_without_a_column_of_names_is_said_to_have_none(tmp_path, capsys):
    for title, said in (("Full name", False), ("Apellidos y nombre", True)):
        (tmp_path / "roster.csv").write_text(f"id,{title}\n1,Ann Lee\n", "utf-8")
        place = archive(tmp_path / "all.zip", {"Ann Lee.ipynb": bytes_of()})
        collecting.command("01", place, tmp_path / title, tmp_path / "roster.csv", {})
        assert (f"only as ids: id, {title}." in capsys.readouterr().out) == said


def test_usual_korean_words_name_nobody_where_there_is_no_roster(tmp_path):
    layout = Layout(STEM, {})
    for path, who in {
        "최수빈 과제.ipynb": ["최수빈"],
        "최수빈_과제1_최종.ipynb": ["최수빈-1"],
        "과제 1주차.ipynb": [],
    }.items():
        assert layout.owner((path,)).students == who


def test_two_files_that_name_nobody_are_not_both_one_students(tmp_path, capsys):
    course = tmp_path / "class"
    (tmp_path / "roster.csv").write_text("id,name\nA1,Jane Doe\nA2,Bo Li\n")
    names = {f"Copy of {STEM} ({n}).ipynb": bytes_of(str(n)) for n in (1, 2)} | {"Bo Li.ipynb": bytes_of("Bo")}
    place = archive(tmp_path / "all.zip", names)
    collecting.command("01", place, course, tmp_path / "roster.csv", {})
    collecting.assign("unknown-1", "A1", "01", course, {})
    for _ in range(2):
        with pytest.raises(Unclear, match=r"was assigned to Jane Doe before, and 'Copy of"):
            collecting.assign("unknown-2", "A1", "01", course, {})
        collecting.command("01", place, course, None, {})
    collecting.assign("unknown-2", "Bo Li", "01", course, {})
    listed = json.loads((course / "collected" / STEM / "collected.json").read_text())
    assert "(2).ipynb' counts, which was assigned; 'Bo Li.ipynb' is kept" in listed["a2"]["notes"][0]["text"]
    assert listed["a2"]["notes"][0]["person"]


def test_a_user_called_copy_is_a_user(tmp_path):
    for user in ("copy", "jdoe"):
        (tmp_path / "in" / f"attention-{user}" / ".git").mkdir(parents=True)
        (tmp_path / "in" / f"attention-{user}" / f"{STEM}.ipynb").write_bytes(bytes_of(user))
    assert sorted(collect(tmp_path / "in", STEM)) == ["copy", "jdoe"]
    roster = saved(tmp_path, "id,name,github\n1,Co Py,copy\n2,Jane Doe,JDoe\n")
    assert sorted(collect(tmp_path / "in", STEM, roster)) == ["1", "2"]


def test_namesakes_who_handed_in_nothing_are_told_apart(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text(KOREANS, "utf-8")
    place = archive(tmp_path / "all.zip", {"최수빈.ipynb": bytes_of()})
    collecting.command("01", place, tmp_path / "class", tmp_path / "roster.csv", {})
    assert "강산, 김민준 (20261003), 김민준 (20261004), 이진수" in capsys.readouterr().out


def test_the_outermost_name_rules(tmp_path):
    layout = Layout(STEM, saved(tmp_path, LEES))
    assert layout.owner(("all.zip", "annlee_12_34_my.zip", "joannlee.ipynb")).students == ["ann"]


def test_gradescopes_export_names_its_students_groups_too(tmp_path):
    submitters = [":submitters:", "  - :name: Jane Doe", "    :sid: '7001'", "    :email: jane@example.org"]
    when = ":created_at: !ruby/object:ActiveSupport::TimeWithZone\n    time: 2026-01-05 11:00:00.0 Z"
    lines = ["submission_11:", *(f"  {line}" for line in (*submitters, when)), "submission_12:"]
    lines += [*(f"  {line}" for line in submitters), "    - :name: Bo Li", "      :email: bo@example.org"]
    names = {"e/submission_metadata.yml": "\n".join(lines).encode()}
    names |= {f"e/submission_{n}/01_definition.ipynb": bytes_of(str(n)) for n in (11, 12)}
    for roster, who in (({}, {"jane-doe", "bo-li"}), (saved(tmp_path, SCOPE), {"7001", "7002"})):
        collected = collect_archive(tmp_path, names, roster)
        assert set(collected) == who
    assert collected["7001"].late.startswith("2026-01-05 11:00") and len(collected["7001"].files) == 2


def test_two_of_one_name_are_two_people_where_the_platform_numbers_them(tmp_path):
    names = {f"leejieun_{n}_88_x.ipynb": bytes_of(str(n)) for n in (501, 502)}
    collected = collect_archive(tmp_path, names)
    assert sorted(collected) == ["leejieun", "leejieun-502"]


def test_repositories_are_their_users(tmp_path):
    for user in ("jdoe", "jan-max", "max"):
        (tmp_path / "in" / f"attention-{user}" / ".git").mkdir(parents=True)
        (tmp_path / "in" / f"attention-{user}" / "work").mkdir()
        (tmp_path / "in" / f"attention-{user}" / "work" / f"{STEM}.ipynb").write_bytes(bytes_of(user))
    assert sorted(collect(tmp_path / "in", STEM)) == ["jan-max", "jdoe", "max"]
    roster = saved(tmp_path, "id,name,github_username\n1,Max Muster,max\n2,Jane Doe,JDoe\n")
    assert sorted(collect(tmp_path / "in", STEM, roster)) == ["1", "2", "unknown-1"]


HONGS = "identifier,github_username,name\n1001,hong-kim,Hong Kim\n1002,hong-lee,Hong Lee\n1003,kim,Bo Kim\n1004,lee,Cy"
CODED = "identifier,github_username,name\n1,cs-01,Ann Aa\n2,cs-02,Bob Bb\n"
AMONG = "identifier,github_username,name\n1,kim,Al Kim\n2,a-kim,Bo Kim\n"


@pytest.mark.parametrize(
    ("roster", "clones"),
    [
        (HONGS, {"hw-06-hong-kim": "1001", "hw-06-hong-lee": "1002"}),
        (HONGS, {"hw-06-hong-kim": "1001", "hw-06-hong-lee": "1002", "hw-06-kim": "1003"}),
        (HONGS, {"hw-06-hong-kim": "1001"}),
        (HONGS, {"hw-06-kim": "1003", "hw-06-lee": "1004"}),
        (HONGS, {"hw-06-hong-kim": "1001", "hw-06-hong-park": None}),
        (CODED, {"hw-06-cs-01": "1", "hw-06-cs-02": "2"}),
        (CODED, {"nlp-spring-cs-01": "1", "nlp-spring-cs-02": "2", "nlp-spring-cs-03": None}),
        (AMONG, {"hw-a-kim": "1", "hw-a-a-kim": "2"}),
        (AMONG, {"hw-a-kim": {"1", "2"}, "hw-a-x": None}),
        ("id,name\n1,Jane Doe\n2,Jane Roe\n3,Doe\n", {"spring-jane-doe": "1", "spring-jane-roe": "2"}),
    ],
)
def test_clones_that_begin_alike_are_not_given_to_others(tmp_path, roster, clones):
    layout = Layout(STEM, saved(tmp_path, roster), repositories=[*clones])
    for clone, who in clones.items():
        owner = layout.owner((f"{clone}/hw.ipynb",))
        assert (owner.students[0] if owner.students else owner.candidates or None) == who


def test_a_readme_is_no_submission_unless_it_is_a_notebook(tmp_path):
    place = archive(tmp_path / "all.zip", {"jane/README.ipynb": bytes_of(), "jane/README.md": b"About this"})
    assert [file.path for file in collecting.collect(place, STEM)["jane"].files] == ["jane/README.ipynb"]


def test_each_notebook_of_an_archive_that_names_nobody_is_asked_for_by_itself(tmp_path, capsys):
    course, inner = tmp_path / "class", io.BytesIO()
    (tmp_path / "roster.csv").write_text("id,name\nA1,Jane Doe\nA2,Bo Li\nA3,Cy Ott\n")
    names = {"Section B/note that Cy Ott kept.ipynb": "3", "Section B/hw.ipynb": "1", "Section B/mine/hw.ipynb": "2"}
    archive(inner, {name: bytes_of(text) for name, text in names.items()} | {"Section B/mine/plot.png": b"png"})
    place = archive(tmp_path / "all.zip", {"outer/Section B.zip": inner.getvalue()})
    collecting.command("01", place, course, tmp_path / "roster.csv", {})
    printed = capsys.readouterr().out
    assert "Cy Ott kept.ipynb' names nobody for certain, perhaps a3 (Cy Ott)\n" in printed
    assert "B/hw.ipynb' names nobody\n" in printed and "plot.png' names nobody\n" in printed
    listed = json.loads((course / "collected" / STEM / "collected.json").read_text())
    first = next(name for name, about in listed.items() if (about["file"] or "").endswith("Section B/hw.ipynb"))
    collecting.assign(first, "A1", "01", course, {})
    assert '"1"' in (course / "collected" / STEM / "a1.ipynb").read_text()
    listed = json.loads((course / "collected" / STEM / "collected.json").read_text())
    assert len([about for about in listed.values() if about["nobody"]]) == 2 and len(listed["a1"]["files"]) == 1


def test_a_person_settles_whose_a_file_is_and_collecting_again_knows_it(tmp_path, capsys):
    course = tmp_path / "class"
    (tmp_path / "roster.csv").write_text("id,name\nA1,Jane Doe\nA2,Bo Li\n")
    place = archive(tmp_path / "all.zip", {f"Copy of {STEM} ({n}).ipynb": bytes_of(str(n)) for n in (1, 2)})
    collecting.command("01", place, course, tmp_path / "roster.csv", {})
    printed = capsys.readouterr().out
    assert (
        "Files of 0 students; of the roster, 2 have handed in nothing: " in printed
        and "assign unknown-1 STUDENT 01" in printed
    )
    collecting.assign("unknown-2", "bo li", None, course, {})
    for _ in range(2):
        listed = json.loads((course / "collected" / STEM / "collected.json").read_text())
        assert [name for name, about in listed.items() if about["file"]] == ["a2", "unknown-1"]
        assert '"2"' in (course / "collected" / STEM / "a2.ipynb").read_text()
        collecting.command("01", place, course, None, {})
    with pytest.raises(Unclear, match="nobody called 'Zoe'"):
        collecting.assign("unknown-1", "Zoe", None, course, {})
    with pytest.raises(
        Unclear, match=r"'bo li, jane doe' can be a1 \(Jane Doe\) or a2 \(Bo Li\); expected the id of one"
    ):
        collecting.assign("unknown-1", "bo li, jane doe", None, course, {})
    with pytest.raises(Unclear, match="No file is called 'unknown-9'"):
        collecting.assign("unknown-9", "A1", None, course, {})


def test_a_renamed_file_leaves_no_ghost(tmp_path):
    roster = saved(tmp_path, "id,name\nA1,Jane Doe\n")
    for name in ("Copy of 01_definition.ipynb", "A1.ipynb"):
        store(collect_archive(tmp_path, {name: bytes_of()}, roster), tmp_path / "out", roster)
    assert [path.name for path in (tmp_path / "out").glob("*.ipynb")] == ["a1.ipynb"]
    assert list(json.loads((tmp_path / "out" / "collected.json").read_text())) == ["a1"]


def test_a_student_has_one_budget_for_all_archives_and_what_is_left_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 10_000)
    monkeypatch.setattr(files, "MOST_FILES", 30)
    many, large = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(many, "w") as zipped:
        for number in range(100):
            zipped.writestr(f"{number}.ipynb", b"x")
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("large.ipynb", bytes(6000))
    names = {f"jo_11_{n}_x.zip": large.getvalue() for n in (21, 22, 23)} | {"al_12_31_x.zip": many.getvalue()}
    collected = collect_archive(tmp_path, names)
    assert sum(len(file.data) for file in collected["jo"].files) <= 10_000 and len(collected["al"].files) <= 31
    for name in ("jo", "al"):
        assert any("left out" in note for note in collected[name].notes)


def test_what_is_in_an_archive_was_named_by_whoever_handed_it_in(tmp_path):
    inner = io.BytesIO()
    archive(inner, {"ann_12345_678910_x.ipynb": bytes_of()})
    for name in ("ann", "bob", "cyd"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "homework.zip").write_bytes(inner.getvalue())
    assert list(collect(tmp_path / "in", STEM)) == ["ann", "bob", "cyd"]


def test_a_broken_archive_stops_nobody_else(tmp_path):
    inner, broken = io.BytesIO(), io.BytesIO()
    archive(inner, {"work.ipynb": bytes_of()})
    with zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("work.ipynb", bytes(range(256)) * 40)
    no_date = inner.getvalue().replace(bytes.fromhex("225c"), bytes(2))  # 2 January 2026
    (tmp_path / "in").mkdir()
    torn = bytearray(broken.getvalue())
    torn[60:90] = bytes(30)
    for name, data in ("ann.zip", no_date), ("bob.zip", bytes(torn)), ("cyd.zip", inner.getvalue()[:-9]):
        (tmp_path / "in" / name).write_bytes(data)
    os.close(os.open(os.fsencode(tmp_path / "in") + b"/jos\xe9.ipynb", os.O_CREAT))
    collected = collect(tmp_path / "in", STEM)
    store(collected, tmp_path / "out")
    assert collected["ann"].files[0].data == bytes_of() and collected["ann"].files[0].when == datetime(1980, 1, 1)
    assert collected["bob"].files[0].data == b"" and len(collected) == 4


def test_a_path_without_end_is_cut(tmp_path):
    (student,) = collect_archive(tmp_path, {"_1" * 30_000 + "/x.ipynb": bytes_of()})
    assert 0 < len(student) <= 60


def test_what_names_nobody_in_two_collections_is_kept_twice(tmp_path):
    listed = {}
    for text in ("one", "two", "two"):
        place = archive(tmp_path / "all.zip", {f"{STEM}.ipynb": bytes_of(text)})
        listed = store(collect(place, STEM, {}, listed), tmp_path / "out")
    kept = sorted(path.name for path in (tmp_path / "out").glob("*.ipynb"))
    assert kept == ["unknown-1.ipynb", "unknown-2.ipynb"]


def test_the_newest_of_two_files_counts_and_the_other_is_kept_and_named(tmp_path):
    texts = {"doe_11_22_a.ipynb": "old", "doe_11_33_a-1.ipynb": "new", "doe_11_44_a.ipynb": "newest"}
    names = {name: bytes_of(text) for name, text in texts.items()}
    collected = collect_archive(tmp_path, names)
    store(collected, tmp_path / "out")
    assert "newest" in (tmp_path / "out" / "doe.ipynb").read_text()
    assert '"old"' in (tmp_path / "out" / "doe.3.ipynb").read_text()
    notes = json.loads((tmp_path / "out" / "collected.json").read_text())["doe"]["notes"]
    assert len(notes) == 2 and all("'doe_11_44_a.ipynb' counts, the newest" in note["text"] for note in notes)


@pytest.mark.parametrize("name, other", [("jo/a.ipynb", "jo/plot.png"), ("jo/a.json", "jo/b.pdf")])
def test_a_notebook_of_any_ending_counts_before_a_newer_file_that_is_none(tmp_path, name, other):
    collected = collect_archive(tmp_path, {name: bytes_of(), other: b"none"})
    assert collected["jo"].files[0].path == name


def test_archives_in_the_archive_are_opened(tmp_path):
    inner = io.BytesIO()
    archive(inner, {"work/01_definition.ipynb": bytes_of()})
    name = "Jane Doe_1_assignsubmission_file_/homework.zip"
    collected = collect_archive(tmp_path, {name: inner.getvalue()})
    assert list(collected) == ["jane-doe"] and collected["jane-doe"].files[0].data == bytes_of()


def test_a_path_that_leaves_the_folder_leaves_nothing(tmp_path):
    names = {"../../x.ipynb": b"1", "/etc/x.ipynb": b"2", "..\\y/x.ipynb": b"3", "a/../../z/x.ipynb": b"4"}
    store(collect_archive(tmp_path, names), tmp_path / "out" / "deep")
    written = [path for path in tmp_path.rglob("*.ipynb")]
    assert {path.parent for path in written} == {tmp_path / "out" / "deep"}
    assert sorted(path.name for path in written) == ["etc.ipynb", "unknown-1.ipynb", "y.ipynb", "z.ipynb"]


def test_hidden_files_are_left_alone_and_what_is_no_file_is_named_and_not_opened(tmp_path):
    (tmp_path / "in" / ".ipynb_checkpoints").mkdir(parents=True)
    (tmp_path / "in" / ".ipynb_checkpoints" / "jo.ipynb").write_bytes(bytes_of())
    (tmp_path / "exam.ipynb").write_bytes(bytes_of())
    (tmp_path / "in" / "link.ipynb").symlink_to(tmp_path / "exam.ipynb")
    (tmp_path / "in" / "jo.ipynb").write_bytes(bytes_of())
    os.mkfifo(tmp_path / "in" / "pipe.ipynb")
    zipped = zipfile.ZipInfo("linked.ipynb")
    zipped.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "in" / "al.zip", "w") as inner:
        inner.writestr(zipped, "/etc/passwd")
    collected = collect(tmp_path / "in", STEM)
    assert list(collected) == ["al", "jo", "link", "pipe"]
    for name, reason in (("link", "a link, which is not followed"), ("pipe", "not a file"), ("al", "a link")):
        assert collected[name].files[0].data == b"" and reason in collected[name].notes[0]
    assert collected["jo"].notes == []


def test_in_a_folder_the_time_of_a_file_decides(tmp_path):
    for name, day in (("a", 2), ("b", 1)):
        path = tmp_path / "jo" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes_of(name))
        os.utime(path, (datetime(2026, 1, day).timestamp(),) * 2)
    assert collect(tmp_path, STEM)["jo"].files[0].path == "jo/a.ipynb"


def test_who_handed_in_nothing_is_in_the_list_and_a_strange_file_is_for_a_person(tmp_path, roster):
    collected = collect_archive(tmp_path, {"40017.ipynb": bytes_of(), "x.ipynb": bytes_of()}, roster)
    store(collected, tmp_path / "out", roster)
    listed = json.loads((tmp_path / "out" / "collected.json").read_text())
    assert {name for name, about in listed.items() if not about["file"]} == {"mk", "sy", "li"}
    assert listed["unknown-1"]["notes"] == [{"text": "'x.ipynb' names nobody", "person": True}]


def test_collecting_again_adds_who_was_late_and_keeps_the_others(tmp_path):
    for when, students in (("1", "ab"), ("2", "bc")):
        files = {f"{student}.ipynb": bytes_of(when) for student in students}
        store(collect(archive(tmp_path / f"{when}.zip", files), STEM), tmp_path / "out")
    assert sorted(json.loads((tmp_path / "out" / "collected.json").read_text())) == ["a", "b", "c"]
    assert '"2"' in (tmp_path / "out" / "b.ipynb").read_text()


def test_a_place_that_is_neither_folder_nor_archive_is_refused(tmp_path):
    (tmp_path / "x.rar").write_bytes(b"Rar!")
    with pytest.raises(Unclear, match="neither a folder nor a zip archive"):
        collect(tmp_path / "x.rar", STEM)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("id,name\na,김민수".encode("cp949"), "not in UTF-8"),
        (b"a,Ann,ann@example.org\nb,Bob,bob@example.org", "begins with 'a,Ann,ann@example.org'; expected a header"),
        ("2026학년도 출석부\n1,김민준\n".encode(), "begins with '2026학년도 출석부'; expected a header"),
        (b"Full name,Email\nAnn,a@x.org\nAnn,a@x.org\n", "'ann' twice, .* in its column 'Full name'"),
        (b"id,name\nj.doe,Jane\nj-doe,John\n", "'j-doe' twice, at last for 'j-doe'"),
        (b"id,name\n", "a line for each student"),
        (b"id,name\na,Nguy?n Th? ?nh\nb,Ann\nc,?ke\n", "lost letters of 'Nguy.n Th. .nh', '.ke'; save it again"),
    ],
)
def test_a_roster_that_cannot_be_read_is_refused(tmp_path, data, message):
    (tmp_path / "roster.csv").write_bytes(data)
    with pytest.raises(Unclear, match=message):
        read_roster(tmp_path / "roster.csv")


def test_collecting_again_with_a_roster_leaves_nobody_twice(tmp_path, roster):
    names = {"Jane Doe_12_assignsubmission_file_/x.ipynb": bytes_of()}
    for known in ({}, roster):
        store(collect_archive(tmp_path, names, known), tmp_path / "out", known)
    assert set(json.loads((tmp_path / "out" / "collected.json").read_text())) == set(roster)
    assert [path.name for path in (tmp_path / "out").glob("*.ipynb")] == ["jdoe.ipynb"]


def test_the_later_attempt_counts_whatever_the_time_of_the_file(tmp_path):
    names = {f"HW_jo_attempt_2026-11-{day}-10-00-00_x.ipynb": bytes_of(day) for day in ("19", "18")}
    assert collect_archive(tmp_path, names)["jo"].files[0].data == bytes_of("19")
    (tmp_path / "in").mkdir()
    for number in (10, 9):
        path = tmp_path / "in" / f"jo_12345_{number}00_x.ipynb"
        path.write_bytes(bytes_of(str(number)))
        os.utime(path, (0, 0))
    assert collect(tmp_path / "in", STEM)["jo"].files[0].data == bytes_of("10")


def test_a_students_name_makes_a_safe_name_for_a_file():
    assert [slug(name) for name in ("../x", "Doe, Jane", "a/b\\c", "..")] == ["x", "doe-jane", "a-b-c", ""]

"""The whole operator catalogue of the ExecuTorch wheel, static and live."""

from collections import Counter

from support import catalogue
from support.catalogue_outcome import LIVE, PASSED, STATIC

# All of them; live all but those that have no dim to be live.
LEAST_PASSED = {STATIC: 380, LIVE: 333}


def test_every_supported_case_is_right_static_and_live(capsys):
    outcomes = catalogue.run_all(catalogue.select(""), jobs=2, report=lambda *_: None)
    with capsys.disabled():
        print(f"\n{catalogue.summary(outcomes)}")
    failures = catalogue.failures(outcomes)
    assert not failures, "\n".join(failures)
    passed = Counter(outcome.mode for outcome in outcomes if outcome.status == PASSED)
    for mode, least in LEAST_PASSED.items():
        assert passed[mode] >= least, f"only {passed[mode]} {mode} cases passed"

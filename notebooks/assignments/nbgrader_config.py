"""nbgrader's settings for sheets in Go; `nbgrader` reads them when it is started in this folder."""

import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor  # noqa: E402
from nbgrader.preprocessors import (  # noqa: E402
    AssignLatePenalties,
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LimitOutput,
    LockCells,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
    SaveCells,
)

from judge import Grades, Judge, Stubs, Submission  # noqa: E402

c = get_config()  # noqa: F821

c.CourseDirectory.root = str(here)
c.CourseDirectory.course_id = "fwlab"
c.CourseDirectory.source_directory = "chosen"  # of source/, by course.py

# A stub that compiles in any function. The delimiters are nbgrader's own: BEGIN SOLUTION, BEGIN HIDDEN TESTS.
c.ClearSolutions.code_stub = {"go": '// YOUR CODE HERE\npanic("not implemented")'}

_clear = [LockCells, ClearSolutions, Stubs, ClearOutput, CheckCellMetadata, ComputeChecksums, SaveCells]
_hide = [ClearHiddenTests, ClearMarkScheme, ComputeChecksums, CheckCellMetadata]
c.GenerateAssignment.preprocessors = _clear + _hide

# A file is read so that nothing in it can stop the grading, and no student's code runs in a kernel.
c.Autograde.exporter_class = Submission
c.Autograde.sanitize_preprocessors = [OverwriteKernelspec, OverwriteCells, CheckCellMetadata]
c.Autograde.autograde_preprocessors = [Judge, LimitOutput, SaveAutoGrades, AssignLatePenalties, CheckCellMetadata]
c.GenerateFeedback.preprocessors = [Grades, CSSHTMLHeaderPreprocessor]

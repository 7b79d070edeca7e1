"""Every public name, once: one line each, under the heading that it has in the reference, in the order of its table.

Type checkers and editors read this file; `__init__.py` imports a name as its line says when it is first used; the
reference and the tests walk the same lines. A new public name is one line here.
"""

# Selections
from steadyset.selections import Selections as Selections

# Measures
from steadyset.measures.evaluate import stability as stability
from steadyset.inference.table import stability_table as stability_table
from steadyset.measures.advice import which_measure as which_measure
from steadyset.measures.record import list_measures as list_measures
from steadyset.measures.record import get_measure as get_measure
from steadyset.measures.chance import null_expectation as null_expectation
from steadyset.measures.weights import shared_importance as shared_importance
from steadyset.similarity import FeatureSimilarity as FeatureSimilarity
from steadyset.measures.record import Measure as Measure
from steadyset.measures.advice import Advice as Advice
from steadyset.measures.evaluate import NullExpectation as NullExpectation

# Properties of measures
from steadyset.certificates import certify as certify
from steadyset.certificates import certificate_table as certificate_table
from steadyset.certificates import Certificate as Certificate

# Uncertainty, tests and comparisons
from steadyset.inference.interval import confidence_interval as confidence_interval
from steadyset.inference.hypotheses import test_threshold as test_threshold
from steadyset.inference.hypotheses import test_difference as test_difference
from steadyset.inference.comparison import compare as compare
from steadyset.inference.interval import runs_needed as runs_needed
from steadyset.inference.interval import convergence_table as convergence_table
from steadyset.inference.interval import Interval as Interval
from steadyset.inference.hypotheses import TestResult as TestResult
from steadyset.inference.comparison import Comparison as Comparison

# Features
from steadyset.inference.features import features_table as features_table
from steadyset.inference.consensus import consensus as consensus
from steadyset.inference.consensus import Consensus as Consensus
from steadyset.inference.instability import instability_by_feature as instability_by_feature
from steadyset.inference.instability import swap_table as swap_table

# Assessment
from steadyset.assessment import assess as assess
from steadyset.assessment import Assessment as Assessment
from steadyset.assessment import AutoRuns as AutoRuns
from steadyset.assessment import Execution as Execution
from steadyset.assessment.agreement import prediction_agreement as prediction_agreement
from steadyset.assessment.agreement import PredictionAgreement as PredictionAgreement
from steadyset.runner.plan import Cut as Cut
from steadyset.io.data.data_table import load_data as load_data
from steadyset.io.data.data_table import Data as Data
from steadyset.tasks import Survival as Survival
from steadyset.tasks.models.cox import CoxModel as CoxModel
from steadyset.io.inspection import inspect as inspect
from steadyset.io.inspection import Inspection as Inspection

# Resampling
from steadyset.resampling.drawn import Bootstrap as Bootstrap
from steadyset.resampling.drawn import Subsample as Subsample
from steadyset.resampling.drawn import ComplementaryPairs as ComplementaryPairs
from steadyset.resampling.drawn import KFold as KFold
from steadyset.resampling.drawn import LeaveOut as LeaveOut
from steadyset.resampling.drawn import Chunks as Chunks
from steadyset.resampling.drawn import FixedOverlap as FixedOverlap
from steadyset.resampling.drawn import NoiseInjection as NoiseInjection
from steadyset.resampling.base import list_resamplings as list_resamplings

# Stability selection and ensembles
from steadyset.selectors import StabilitySelection as StabilitySelection
from steadyset.shortlists.result import Shortlist as Shortlist
from steadyset.shortlists.selector import ShortlistSelector as ShortlistSelector
from steadyset.shortlists.run import shortlist as shortlist
from steadyset.selectors import error_control as error_control
from steadyset.selectors import aggregate as aggregate
from steadyset.selectors import BoundRule as BoundRule

# The next study
from steadyset.replications.run import replication as replication
from steadyset.replications.result import Replication as Replication
from steadyset.replications.compare import compare_studies as compare_studies
from steadyset.replications.studies import StudyComparison as StudyComparison
from steadyset.replications.split import variance_split as variance_split
from steadyset.replications.split import VarianceSplit as VarianceSplit

# Explanations
from steadyset.from_tools.explanations import explanation_stability as explanation_stability
from steadyset.from_tools.explanations import ExplanationStability as ExplanationStability

# Filters
from steadyset.selectors import FilterSelector as FilterSelector
from steadyset.selectors import list_selectors as list_selectors
from steadyset.selectors import Filter as Filter

# Tuning and choice
from steadyset.tuning import tune as tune
from steadyset.tuning import Tuning as Tuning
from steadyset.tuning import SearchOptions as SearchOptions
from steadyset.tuning import Space as Space
from steadyset.tuning import pareto_front as pareto_front
from steadyset.tuning import front_probability as front_probability

# Results in words and as documents
from steadyset.reports import report as report
from steadyset.findings import findings_of as findings_of
from steadyset.findings import Findings as Findings
from steadyset.findings import methods_text as methods_text

# Your own parts
from steadyset.measures.record import register_measure as register_measure
from steadyset.measures.record import unregister_measure as unregister_measure
from steadyset.selectors import register_filter as register_filter
from steadyset.selectors import register_selector as register_selector
from steadyset.resampling.base import register_resampling as register_resampling
from steadyset.selectors import register_rule as register_rule

# Errors
from steadyset.foundation.errors import SteadysetError as SteadysetError
from steadyset.foundation.errors import InputError as InputError
from steadyset.foundation.errors import UndefinedError as UndefinedError
from steadyset.foundation.errors import MissingExtraError as MissingExtraError

# Selectors: st.selectors
from steadyset import selectors as selectors

# Rules of choice: st.choose
from steadyset.tuning import choose as choose

# Scores of times to events: st.scores
from steadyset.runner import scores as scores

# Importances: st.importances
from steadyset.selectors import importances as importances

# Simulated data: st.datasets
from steadyset import datasets as datasets

# Pictures: st.plot
from steadyset import plot as plot

__version__: str

"""References: what records cite is found in one file, and every format of it is sound."""

import json
import re

import pytest

import steadyset as st
from steadyset.findings.citations import all_references, bibtex, cited, csl_json, reference, this_software
from steadyset.selectors.ensembles.rules import RULES

# The fields that the schema of CSL-JSON knows, of those that are used, and the types among its own.
FIELDS = {
    *("id", "type", "author", "title", "issued", "container-title", "collection-title", "volume", "issue", "page"),
    *("DOI", "publisher", "publisher-place", "genre", "number", "edition", "version", "note"),
}
TYPES = {"article-journal", "paper-conference", "book", "thesis", "report", "software", "document"}


def cited_by_records():
    tables = (st.list_measures(), st.list_selectors(), st.list_resamplings())
    texts = [text for table in tables for text in table["reference"]]
    return sorted({*texts, *(rule.reference for rule in RULES.values())} - {""})


@pytest.mark.parametrize("text", cited_by_records())
def test_what_a_record_cites_is_in_the_file(text):
    assert [one.item.get("note") for one in cited(text) if "note" in one.item] == []


def test_entries_are_told_apart_by_key_and_by_how_they_are_cited():
    every = all_references()
    assert len({one.key for one in every}) == len({one.short for one in every}) == len(every)
    assert all(cited(one.short) == (one,) for one in every)


def test_entries_are_csl_json():
    for one in (*all_references(), this_software()):
        assert set(one.item) <= FIELDS, one.key
        assert one.item["type"] in TYPES
        assert all({"family", "given"} == set(name) or {"literal"} == set(name) for name in one.item["author"])
        assert "DOI" not in one.item or re.fullmatch(r"10\.\d{4,}/\S+", one.item["DOI"]), one.key
    assert json.loads(csl_json(all_references()))[0]["id"] == "akiba2019"


def test_bibtex_has_balanced_braces_and_escaped_signs():
    text = bibtex([*all_references(), this_software("1.2.3")])
    for entry in text.strip().split("\n\n"):
        unescaped = re.sub(r"\\.", "", entry)
        assert unescaped.count("{") == unescaped.count("}")
        assert entry.startswith("@")
        assert entry.endswith("\n}")
    assert r"John Wiley \& Sons" in text
    assert "note = {Version 1.2.3}" in text


def test_names_are_found_without_accents_and_with_all_or_the_first_author():
    assert (
        cited("Novovicova, Somol and Pudil 2009") == cited("Novovičová et al. 2009") == (reference("novovicova2009"),)
    )
    assert cited("Bommert 2020, 3.1.2") == (reference("bommert2020"),)
    assert cited("Bommert and Rahnenführer 2020") == (reference("bommert2020adjusted"),)


def test_a_text_that_names_no_entry_stays_as_it_is():
    (own,) = cited("Somebody 2026, my {own} measure")
    assert (own.short, own.text) == ("Somebody 2026, my {own} measure", "Somebody 2026, my {own} measure.")
    assert r"note = {Somebody 2026, my \{own\} measure}" in own.bibtex

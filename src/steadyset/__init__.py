"""steadyset."""

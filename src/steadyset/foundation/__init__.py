"""What everybody may use: errors, checks of arguments, text for people, how results show themselves, plug-ins, jobs."""

"""What our Verifiers environments share.  Needs the extra `judgebox[rl]`.

judging.py    the judge of this process, opened when first needed
selection.py  which tasks of a pack load
proof.py      tasks that ask for a C function body and are judged by proof
reply.py      the env: one chat turn, judged once
"""

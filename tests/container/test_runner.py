"""Hostile and clumsy programs: processes, files, information, the channel, the rules of steps."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest

from judgebox.engines.docker import DockerEngine
from judgebox.job import File, Job, Stdout, Step
from judgebox.runner import BOOT

from .programs import COMPILE, DEFAULT, MIB, C, program

# ---- processes


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("for (int i = 0; i < 5000; i++) if (fork() < 0) usleep(10);", id="fork-storm"),
        pytest.param(
            "for (int i = 0; i < 500; i++) if (!fork()) { if (!fork()) pause(); _exit(0); }",
            id="orphans",
        ),
        pytest.param(
            "if (!fork()) { setsid(); if (!fork()) { setsid(); sleep(100); } } usleep(50000);",
            id="daemon",
        ),
    ],
)
def test_processes_are_bounded_and_none_survives(c: C, body: str) -> None:
    job = c.job(program(body), more=(Step("left", ("ls", "/proc"), DEFAULT),))
    report = c.report(job)
    # A storm may also meet the memory limit: the kernel frees what dead processes held late.
    assert report["run"].outcome in ("exit", "timeout", "signal", "memory")
    pids = {name for name in report["left"].stdout.decode().split() if name.isdigit()}
    assert len(pids) == 2, pids  # the runner and `ls`
    assert c(program("return 3;")).exit_status == 3


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return kill(1, 9) == -1 ? 8 : 0;", id="kill-1"),
        pytest.param("return kill(getppid(), 9) == -1 ? 8 : 0;", id="kill-parent"),
        pytest.param("return ptrace(PTRACE_ATTACH, 1, 0, 0) == -1 ? 8 : 0;", id="ptrace"),
        pytest.param(
            "struct rlimit r = {1 << 20, 1 << 20};"
            " return setrlimit(RLIMIT_NPROC, &r) == -1 ? 8 : 0;",
            id="raise-limit",
        ),
        pytest.param(
            "struct sched_param p = {50};"
            " return sched_setscheduler(0, SCHED_FIFO, &p) == -1 ? 8 : 0;",
            id="realtime",
        ),
        pytest.param('return open("/proc/1/mem", O_RDWR) == -1 ? 8 : 0;', id="runner-memory"),
        pytest.param('return open("/proc/1/fd/0", O_RDWR) == -1 ? 8 : 0;', id="runner-channel"),
        pytest.param(
            'return open("/proc/1/environ", O_RDONLY) == -1 ? 8 : 0;', id="runner-environ"
        ),
        pytest.param("return setuid(0) == -1 ? 8 : 0;", id="become-root"),
        pytest.param("return unshare(CLONE_NEWUSER) == -1 ? 8 : 0;", id="unshare"),
        pytest.param(
            "return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) == -1 ? 8 : 0;",
            id="clone-user",
        ),
        pytest.param("return syscall(SYS_bpf, 0, 0, 0) == -1 ? 8 : 0;", id="bpf"),
        pytest.param("return syscall(SYS_keyctl, 0, -3, 0) == -1 ? 8 : 0;", id="keyctl"),
        pytest.param("return syscall(SYS_shmget, 1, 4096, 01666) == -1 ? 8 : 0;", id="sysv"),
        pytest.param(
            'return syscall(SYS_mq_open, "q", O_CREAT | O_RDWR, 0666, 0) == -1 ? 8 : 0;',
            id="mqueue",
        ),
        pytest.param(
            'return open("/dev/mqueue/q", O_CREAT | O_RDWR, 0666) == -1 ? 8 : 0;', id="mqueue-file"
        ),
        pytest.param("return socket(AF_INET, SOCK_STREAM, 0) == -1 ? 8 : 0;", id="internet"),
        pytest.param("return socket(AF_INET6, SOCK_DGRAM, 0) == -1 ? 8 : 0;", id="internet6"),
        pytest.param("return socket(AF_NETLINK, SOCK_RAW, 0) == -1 ? 8 : 0;", id="netlink"),
        pytest.param('return open("/etc/x", O_CREAT | O_WRONLY, 0600) == -1 ? 8 : 0;', id="etc"),
        pytest.param('return open("/usr/bin/gcc", O_WRONLY) == -1 ? 8 : 0;', id="toolchain"),
        pytest.param('return open("/job/tool/main.c", O_RDONLY) == -1 ? 8 : 0;', id="tool-files"),
        pytest.param(
            'return open("main", O_WRONLY) == -1 && unlink("main") == -1 ? 8 : 0;', id="own-program"
        ),
        pytest.param('return chmod("main", 0777) == -1 ? 8 : 0;', id="own-program-mode"),
    ],
)
def test_refused(c: C, body: str) -> None:
    step = c(program(body))
    assert (step.outcome, step.exit_status) == ("exit", 8), step


def test_kill_everybody_harms_only_itself(c: C) -> None:
    step = c(program('puts("before"); fflush(stdout); kill(-1, SIGKILL); return 5;'))
    assert (step.exit_status, step.stdout) == (5, b"before\n")  # kill(-1) spares its caller


# ---- files


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm", ".", "/job/run", "/job"])
def test_no_marker_reaches_the_next_job(c: C, place: str) -> None:
    c(
        program(
            f'mkdir("{place}/d", 0700); close(open("{place}/d/marker", O_CREAT, 0600));'
            f' close(open("{place}/marker", O_CREAT, 0600));'
        )
    )
    look = (
        f'return access("{place}/marker", F_OK) == -1 && access("{place}/d", F_OK) == -1 ? 8 : 0;'
    )
    assert c(program(look)).exit_status == 8


def test_what_a_candidate_leaves_in_tmp_is_gone_before_the_next_step(c: C) -> None:
    body = 'close(open("/tmp/trap", O_CREAT, 0666)); symlink("/etc/passwd", "/tmp/link");'
    report = c.report(
        c.job(program(body), more=(Step("look", ("stat", "/tmp/trap", "/tmp/link"), DEFAULT),))
    )
    assert report["look"].exit_status == 1
    assert report["look"].stdout == b""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param("", "absent", id="absent"),
        pytest.param('mkfifo("out", 0600);', "not a regular file", id="fifo"),
        pytest.param('symlink("/etc/passwd", "out");', "not a regular file", id="symlink"),
        pytest.param('mkdir("out", 0700);', "not a regular file", id="directory"),
        pytest.param(
            'struct sockaddr_un a = {AF_UNIX, "out"};'
            " bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&a, sizeof a);",
            "not a regular file",
            id="socket",
        ),
    ],
)
def test_a_returned_file_must_be_a_file(c: C, body: str, why: str) -> None:
    step = c(program(body), returns=("out",))
    assert step.files == {}
    assert step.missing == {"out": why}


def test_returned_files_are_bounded(c: C) -> None:
    body = """
    signal(SIGXFSZ, SIG_IGN);
    int f = open("out", O_CREAT | O_WRONLY, 0600);
    if (ftruncate(f, 10L << 40) == 0) return 1;
    if (ftruncate(f, 4 << 20)) return 2;
    close(open("small", O_CREAT | O_WRONLY, 0));
    """
    limits = dataclasses.replace(DEFAULT, file_bytes=4 * MIB)
    step = c(program(body), limits, returns=("out", "small", "../tool/main", "/etc/passwd"))
    assert step.exit_status == 0
    assert {name: len(data) for name, data in step.files.items()} == {"out": 4 * MIB, "small": 0}
    assert set(step.missing.values()) == {"not a plain file name"}


def test_too_large_a_file_ends_the_program(c: C) -> None:
    body = 'int f = open("out", O_CREAT | O_WRONLY, 0600); ftruncate(f, 10L << 40);'
    step = c(program(body))
    assert (step.outcome, step.signal) == ("signal", 25)  # SIGXFSZ


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            'for (int i = 0; i < 10000; i++) if (mkdir("d", 0700) || chdir("d")) return i;',
            id="nested",
        ),
        pytest.param(
            'mkdir("a", 0700); mkdir("a/b", 0700); close(open("a/b/f", O_CREAT, 0));'
            ' chmod("a/b", 0); chmod("a", 0);',
            id="mode-0",
        ),
        pytest.param(
            'mkdir("a", 0777); chmod("a", 01777); close(open("a/f", O_CREAT, 0));'
            ' mkdir("a/s", 01777); mkfifo("a/s/p", 0); symlink("/", "a/l");',
            id="sticky",
        ),
        pytest.param(
            'close(open("new\\nline", O_CREAT, 0)); close(open("\\xff", O_CREAT, 0));'
            ' mkdir("wipe-1", 0700); mkdir("wipe-2", 0700); mkdir("wipe-1/x", 0700);',
            id="names",
        ),
        pytest.param(
            'char n[9]; for (int i = 0; i < 20000; i++) { sprintf(n, "%d", i);'
            " int f = open(n, O_CREAT, 0600); if (f < 0) break; close(f); }",
            id="many",
        ),
    ],
)
def test_any_tree_is_cleared(c: C, body: str) -> None:
    job = c.job(program(body), more=(Step("left", ("stat", "/job/run"), DEFAULT),))
    report = c.report(job)
    assert report["run"].outcome == "exit"
    assert report["left"].exit_status == 1
    assert c(program("return 3;")).exit_status == 3


# ---- information


def test_a_candidate_sees_only_the_fixed_environment(c: C) -> None:
    body = "extern char **environ; for (char **e = environ; *e; e++) puts(*e);"
    lines = c(program(body)).stdout.decode().splitlines()
    assert sorted(line.split("=")[0] for line in lines) == ["HOME", "LANG", "PATH", "TMPDIR"]


def test_a_candidate_is_nobody_with_three_descriptors(c: C) -> None:
    body = r"""
    char h[65]; gethostname(h, 65);
    for (int i = 3; i < 1024; i++) if (fcntl(i, F_GETFD) != -1) return 1;
    gid_t g[9];
    printf("%d %d %s %d\n", getuid() > 999, getgroups(9, g), h, getsid(0) == getpid());
    """
    assert c(program(body)).stdout == b"1 0 judge 1\n"


def test_each_job_has_its_own_uids(c: C) -> None:
    uids = {c(program(r'printf("%d", getuid());')).stdout for _ in range(3)}
    assert len(uids) == 3


def test_no_command_line_shows_more_than_the_bootstrap(c: C) -> None:
    report = c.report(
        c.job(
            program(
                'char b[9999]; int f = open("/proc/1/cmdline", 0); write(1, b, read(f, b, 9999));'
            )
        )
    )
    words = report["run"].stdout.decode().split("\0")
    assert words[:4] == ["python3", "-I", "-S", "-c"]
    assert words[4:] == [BOOT, ""]


# ---- the channel and the rules of steps


def test_all_descriptors_are_the_programs_own(c: C) -> None:
    body = """
    for (int i = 0; i < 1024; i++) write(i, "{\\"steps\\":[]}", 12);
    for (int i = 0; i < 1024; i++) close(i);
    return 6;
    """
    step = c(program(body))
    assert step.exit_status == 6


def test_right_output_then_a_crash_is_a_crash(c: C) -> None:
    step = c(program('puts("right"); fflush(stdout); *(volatile int *)0 = 1;'))
    assert (step.outcome, step.signal, step.stdout) == ("signal", 11, b"right\n")


def test_steps_needs_takes_and_stdout(engine: DockerEngine, image: str) -> None:
    tiny = DEFAULT
    job = Job(
        image,
        (
            Step("one", ("sh", "-c", "printf a; printf x > made; chmod 700 made"), tiny),
            Step("two", ("cat",), tiny, stdin=(b"<", Stdout("one"), b">")),
            Step("copy", ("ls", "-l", "made", "given"), tiny, "candidate", takes=("made", "given")),
            Step("fails", ("false",), tiny),
            Step("never", ("true",), tiny, needs="fails", returns=("out",)),
            Step("nor", ("true",), tiny, needs="never"),
            Step("lost", ("true",), tiny, "candidate", takes=("absent",)),
            Step("program", ("./absent",), tiny, "candidate"),
        ),
        {"given": File(b"data")},
    )
    report = asyncio.run(engine.run(job))
    assert report["two"].stdout == b"<a>"
    modes = [line.split()[0] for line in report["copy"].stdout.decode().splitlines()]
    assert modes == ["-r--r--r--", "-r-xr-xr-x"]
    assert [report[name].outcome for name in ("never", "nor")] == ["skipped", "skipped"]
    assert report["never"].missing == {"out": "skipped"}
    assert report["lost"].missing == {"absent": "not taken: absent"}
    assert report["program"].exit_status == 127


def test_a_program_too_large_to_copy_is_its_own_fault(engine: DockerEngine, image: str) -> None:
    large = dataclasses.replace(DEFAULT, file_bytes=512 * MIB)
    job = Job(
        image,
        (
            Step("build", ("sh", "-c", "head -c 180000000 /dev/zero > main"), large),
            Step("run", ("./main",), DEFAULT, "candidate", takes=("main",)),
            Step("after", ("true",), DEFAULT),
        ),
    )
    report = asyncio.run(engine.run(job))
    assert report["build"].ok
    assert report["run"].exit_status == 127
    assert report["run"].missing == {"main": "not taken: No space left on device"}
    assert report["after"].ok


@pytest.mark.parametrize(
    "source",
    [
        pytest.param('#include "/dev/zero"', id="dev-zero"),
        pytest.param("#include __FILE__", id="self"),
        pytest.param("int a[4L << 30] = {1};", id="16-gigabytes"),
        pytest.param('__asm__(".incbin \\"/dev/zero\\"");', id="incbin"),
    ],
)
def test_compilers_are_bounded(engine: DockerEngine, image: str, source: str) -> None:
    step = Step("build", ("gcc", "-c", "x.c"), dataclasses.replace(COMPILE, cpu_s=3.0, wall_s=6.0))
    report = asyncio.run(engine.run(Job(image, (step,), {"x.c": File(source.encode())})))
    assert not report["build"].ok

"""Offers a solver's Python module as an ordinary SMT-LIB process.

Usage: runner.py ENGINE FOLDER [OPTION..] [FILE | -]

Reads commands from FILE or stdin and runs each as soon as it is complete, so that a session can use it. After an
error it only runs `echo` until `(reset)`, which starts afresh, or until the end, where it exits with 1: the replies of
a command-line program that stops at its first error, without losing the process.
"""
import os
import re
import sys

SPACE = re.compile(rb'(?:[\s]|;[^\n]*\n)*')
# What may hold parentheses that are none; a lone opening character is the last of them, cut off.
LITERAL = re.compile(rb'"[^"]*"|\|[^|]*\||;[^\n]*\n')
TOKEN = re.compile(rb'[()]|"[^"]*"|\|[^|]*\||;[^\n]*\n|["|;]')
HEAD = re.compile(rb'\(\s*([^\s()"|;]*)')
# The commands that the runner itself obeys.
OWN = re.compile(rb'\(\s*(echo|reset|exit)(?=[\s()])')


class Splitter:
    """Cuts a stream of bytes into complete commands."""

    def __init__(self):
        self.data, self.at, self.depth = b"", 0, 0

    def feed(self, chunk):
        """Pairs of the name of a command of the runner and its text, or of an empty name and any number of others."""
        self.data += chunk
        if self.at == 0:
            # Most chunks are whole scripts. Looking at every parenthesis takes ten times as long as counting them.
            plain = LITERAL.sub(lambda literal: b" " * len(literal.group()), self.data)
            ends = plain.strip()[:1] + plain.strip()[-1:]
            if ends == b"()" and plain.count(b"(") == plain.count(b")") and not any(c in plain for c in b'"|;'):
                data, self.data = self.data, b""
                return list(pieces(data, plain))
        return list(batches(self.commands()))

    def commands(self):
        data, depth, start, commands = self.data, self.depth, 0, []
        end = len(data)
        for token in TOKEN.finditer(data, self.at):
            text = token.group()
            if text == b"(":
                depth += 1
            elif text == b")":
                depth -= 1
                if depth <= 0:
                    commands.append(data[start:token.end()].strip())
                    start, depth = token.end(), 0
            elif len(text) == 1:
                end = token.start()
                break
        self.data, self.at, self.depth = data[start:], end - start, depth
        return commands

    def rest(self):
        return self.data[SPACE.match(self.data + b"\n").end():].strip()


def pieces(data, plain):
    """The same as `batches` for complete commands, of which `plain` has blanks in the place of literals."""
    start = at = depth = 0
    for own in OWN.finditer(plain):
        depth += plain.count(b"(", at, own.start()) - plain.count(b")", at, own.start())
        at = own.start()
        if depth > 0:
            continue
        if plain[start:at].strip():
            yield b"", data[start:at].strip()
        start = at = plain.index(b")", at) + 1
        depth = 0
        yield own.group(1), data[own.start():start]
    if plain[start:].strip():
        yield b"", data[start:].strip()


def say(text):
    sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")
    sys.stdout.flush()


class Failure(Exception):
    """The solver refused a command; the text is the message."""


class Cvc5:
    def __init__(self, options):
        import cvc5
        self.module, self.options = cvc5, []
        for option in options:
            name, equals, value = option.lstrip("-").partition("=")
            if not equals:
                name, value = (name[3:], "false") if name.startswith("no-") else (name, "true")
            # The program has a limit for its whole run; the library only one for each query.
            name = {"tlimit": "tlimit-per"}.get(name, name)
            if name not in ("lang", "q"):
                self.options.append((name, value))
        self.reset()

    def version(self):
        version = self.solver.getVersion()
        return "This is cvc5 version " + (version.decode() if isinstance(version, bytes) else version)

    def reset(self):
        if hasattr(self.module, "TermManager"):  # 1.2.0 on
            self.terms = self.module.TermManager()
            self.solver = self.module.Solver(self.terms)
            self.symbols = self.module.SymbolManager(self.terms)
        else:
            self.solver = self.module.Solver()
            self.symbols = self.module.SymbolManager(self.solver)
        for name, value in self.options:
            self.solver.setOption(name, value)

    def run(self, text):
        parser = self.module.InputParser(self.solver, self.symbols)
        parser.setStringInput(self.module.InputLanguage.SMT_LIB_2_6, text, "stdin")
        while True:
            try:
                command = parser.nextCommand()
                if command is None or command.isNull():
                    return
            except RuntimeError as error:
                raise Failure("Parse Error: %s" % error)
            try:
                reply = command.invoke(self.solver, self.symbols)
            except RuntimeError as error:
                raise Failure(str(error))
            reply = reply.decode() if isinstance(reply, bytes) else reply
            if reply.startswith("(error "):
                raise Failure(reply.strip()[8:-2])
            # The library also prints why it gave up; the program does not.
            say("unknown" if reply.startswith("unknown (") else reply)

    def reply(self):
        pass

    def finish(self):
        """Prints statistics like the program at its end, if the options ask for them."""
        if ("stats", "true") not in self.options:
            return
        for name, entry in sorted(self.solver.getStatistics().get(True, False).items()):
            value = entry["value"]
            if isinstance(value, dict):
                value = "{ %s }" % ", ".join("%s: %s" % case for case in sorted(value.items()))
            sys.stderr.write("%s = %s\n" % (name, value))


class Bitwuzla:
    def __init__(self, options):
        import bitwuzla
        self.module, self.options = bitwuzla, options
        self.reset()

    def version(self):
        return self.module.version()

    def reset(self):
        options = self.module.Options()
        if self.options:
            options.set_args(*self.options)
        self.parser = self.module.Parser(self.module.TermManager(), options)

    def run(self, text):
        try:
            # The module prints its replies itself.
            self.parser.parse(text, False, False)
        except self.module.BitwuzlaException as error:
            raise Failure("Parse Error: %s" % error)

    def reply(self):
        pass

    def finish(self):
        pass


class Boolector:
    """The module parses whole scripts only: a script runs when its replies are due, and again with each later command."""

    def __init__(self, options):
        import ctypes
        import pyboolector
        self.module, self.flush, self.options = pyboolector, ctypes.CDLL(None).fflush, []
        for option in options:
            name, _, value = option.lstrip("-").partition("=")
            option = getattr(self.module.BtorOption, "BTOR_OPT_" + name.upper().replace("-", "_"))
            self.options.append((option, int(value or 1)))
        self.reset()

    def version(self):
        return self.module.Boolector().Version()

    def reset(self):
        self.script, self.due, self.printed = "", False, 0

    def run(self, text):
        self.script, self.due = self.script + text + "\n", True

    def reply(self):
        if not self.due:
            return
        self.due = False
        solver = self.module.Boolector()
        for option, value in self.options:
            solver.Set_opt(option, value)
        if self.script.count("(check-sat") > 1 or "(push" in self.script:
            solver.Set_opt(self.module.BtorOption.BTOR_OPT_INCREMENTAL, 1)
        # It reads only files, and prints the replies itself.
        script, replies, stdout = os.memfd_create("script"), os.memfd_create("replies"), os.dup(1)
        try:
            os.write(script, self.script.encode("utf-8", "surrogateescape"))
            os.dup2(replies, 1)
            error = solver.Parse("/proc/self/fd/%d" % script)[2]
        except self.module.BoolectorException as failure:
            error = str(failure)
        finally:
            self.flush(None)
            os.dup2(stdout, 1)
            text = os.pread(replies, os.fstat(replies).st_size, self.printed).decode("utf-8", "replace")
            self.printed += len(text.encode())
            for file in (script, replies, stdout):
                os.close(file)
        say(text)
        if error:
            raise Failure("Parse Error: " + re.sub(r"/proc/self/fd/[0-9]+", "<stdin>", error.strip()))

    def finish(self):
        pass


def batches(commands):
    """Joins consecutive commands for the solver; commands for the runner come alone, with their name."""
    ordinary = []
    for command in commands:
        match = HEAD.match(command, SPACE.match(command).end())
        name = match.group(1) if match else b""
        if name in (b"reset", b"exit", b"echo"):
            if ordinary:
                yield b"", b"\n".join(ordinary)
                ordinary = []
            yield name, command
        else:
            ordinary.append(command)
    if ordinary:
        yield b"", b"\n".join(ordinary)


def main():
    engine, folder, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    sys.path.insert(0, folder)
    options = [a for a in arguments if a.startswith("-") and a not in ("-", "--version")]
    files = [a for a in arguments if not a.startswith("-")]
    solver = {"cvc5": Cvc5, "bitwuzla": Bitwuzla, "boolector": Boolector}[engine](options)
    if "--version" in arguments:
        say(solver.version())
        return 0
    source = os.open(files[0], os.O_RDONLY) if files else 0
    splitter, failed = Splitter(), False

    def attempt(step, *arguments):
        nonlocal failed
        if not failed:
            try:
                step(*arguments)
            except (Failure, UnicodeError) as error:
                failed = True
                say('(error "%s")' % str(error).replace('"', '""'))

    while True:
        chunk = os.read(source, 1 << 16)
        for name, command in splitter.feed(chunk):
            if name:
                attempt(solver.reply)
            if name == b"exit":
                solver.finish()
                return int(failed)
            if name == b"reset":
                solver.reset()
                failed = False
            elif name == b"echo":
                say(command[command.find(b'"'):command.rfind(b'"') + 1].decode("utf-8", "replace"))
            elif not failed:
                attempt(solver.run, command.decode("utf-8", "surrogateescape"))
        if not chunk:
            break
    attempt(solver.reply)
    if splitter.rest() and not failed:
        failed = True
        say('(error "Parse Error: unexpected end of input")')
    solver.finish()
    return int(failed)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Skip the modules' destructors: some releases crash in them, after all answers.
    os._exit(code)

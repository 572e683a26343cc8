/** What every command is expected to do with each server of the grid. */

export interface Row {
  /** What is typed after `tenon`; SERVER is the command of the server, FOLDER a folder with the file a.txt. */
  readonly line: string;
  readonly exit: number;
  /** What it prints, to either stream. */
  readonly prints: RegExp;
}

const row = (line: string, prints: RegExp, exit = 0): Row => ({ line, exit, prints });

/** The same for every server. */
const always: readonly Row[] = [
  row('ping -n 2 SERVER', /answered in .*\nanswered in /),
  row('doctor SERVER', /negotiate/),
  row('check --ignore description-missing SERVER', /about [\d,]+ tokens in every request/),
  row('info --snapshot FOLDER/before.json SERVER', /snapshot|before\.json|server/),
  row('diff FOLDER/before.json SERVER', /./),
  row('types -o FOLDER/server-types.ts SERVER', /server-types\.ts/),
  row('call nothing SERVER', /There is no tool "nothing"/, 2),
];

export const rows: Readonly<Record<'everything' | 'filesystem' | 'v2', readonly Row[]>> = {
  everything: [
    row('info SERVER', /Everything Reference Server 2\.0\.0\nprotocol +2025-11-25/),
    row('tools SERVER', /^get-sum\(a: number, b: number\)\n {4}Returns the sum/m),
    row('tools get-sum --json SERVER', /"inputSchema"/),
    row('resources SERVER', /startup\.md/),
    row('templates SERVER', /dynamic\/text\/\{resourceId\}/),
    row('prompts SERVER', /^simple-prompt\b/m),
    row('call get-sum a=1 b=2 SERVER', /The sum of 1 and 2 is 3/),
    row('call get-structured-content location=Chicago --json SERVER', /"structuredContent"/),
    row('call get-tiny-image --save FOLDER SERVER', /\[image\] image\/png, \d+ bytes in/),
    row('bench get-sum a=1 b=2 -n 20 SERVER', /20/),
    row('call get-sum a=x b=2 SERVER', /a cannot be "x"/, 2),
    row('call trigger-elicitation-request SERVER', /tenon answer [a-z\d]+ --decline/, 5),
    row('read demo://resource/static/document/startup.md SERVER', /Startup Process/),
    row('read demo://resource/static/document/nothing.md SERVER', /nothing\.md/, 7),
    row('get completable-prompt department=Engineering name=Alice SERVER', /promote Alice/),
    row('complete completable-prompt department=Eng SERVER', /^Engineering$/m),
    row('tasks SERVER', /No tasks/),
    ...always,
  ],
  filesystem: [
    row('info SERVER', /secure-filesystem-server/),
    row('tools SERVER', /^read_text_file\(path: string/m),
    row('resources SERVER', /did not declare resources/, 7),
    row('templates SERVER', /did not declare resources/, 7),
    row('prompts SERVER', /did not declare prompts/, 7),
    row('call read_text_file path=FOLDER/a.txt SERVER', /kept/),
    row('bench list_allowed_directories -n 20 SERVER', /20/),
    row('call read_text_file path=/etc/hostname SERVER', /denied/i, 1),
    row('read file:///a.txt SERVER', /did not declare resources/, 7),
    row('get plan SERVER', /did not declare prompts/, 7),
    row('complete plan city=O SERVER', /did not declare completions/, 7),
    row('tasks SERVER', /did not declare tasks/, 7),
    ...always,
  ],
  v2: [
    row('info SERVER', /rich 1\.0\.0\nprotocol +2026-07-28/),
    row('info --protocol-version 2025-06-18 SERVER', /protocol +2025-06-18/),
    row('tools SERVER', /^add\(a: number, b: number\)\n {4}Add$/m),
    row('resources SERVER', /note:\/\/one/),
    row('templates SERVER', /weather:\/\/\{city\}\/now/),
    row('prompts plan SERVER', /\bcity\b/),
    row('call add a=1 b=2 SERVER', /"sum": 3/),
    row('bench add a=1 b=2 -n 20 -c 4 SERVER', /20/),
    row('call fail SERVER', /It went wrong/, 1),
    row('call greet SERVER', /tenon answer [a-z\d]+ name=…/, 5),
    row('call greet --protocol-version 2025-11-25 SERVER', /tenon answer [a-z\d]+ name=…/, 5),
    row('read weather://Oslo/now SERVER', /sunny in Oslo/),
    row('get plan city=Oslo SERVER', /Plan a day in Oslo/),
    row('complete plan city=O SERVER', /^Oslo$/m),
    row('tasks SERVER', /No tasks/),
    ...always,
  ],
};

/** Commands that the grid runs in tests of their own, below the rows. */
export const inOwnTests: readonly string[] = ['watch', 'answer', 'record', 'replay', 'test'];

/** Commands that connect to no server of others, or need a person, a browser or a sign-in server: their own tests run them. */
export const elsewhere: readonly string[] =
  'init serve dev config completion repl login logout policy approvals audit lock dev-auth inspect eval servers package gateway'.split(
    ' ',
  );

/** The result of `tenon eval` as text: a row for each prompt, then why prompts were missed. */
import type { EvalCall, PromptOutcome } from '../../../agents/quality/eval-agent.ts';
import type { Io } from '../../io/io.ts';
import { printable } from '../../output/content.ts';
import { count } from '../../output/count.ts';
import { styleFor } from '../../output/style.ts';
import { textTable } from '../../output/table.ts';
import { wrapped } from '../../output/wrapped.ts';

/** Characters of a prompt in the table. */
const maxPrompt = 60;

export function shownOutcomes(outcomes: readonly PromptOutcome[], io: Io): string {
  const style = styleFor(io);
  const width = Math.max(Math.min(maxPrompt, Math.floor(io.columns / 2) - 4), 12);
  const rows = outcomes.map(({ passed, prompt, calls }) => [
    passed ? style.good('✓') : style.bad('✗'),
    short(printable(prompt, io), width),
    calls.length === 0 ? 'no tools' : printable(namesOf(calls), io),
  ]);
  const missed = outcomes.filter(({ passed }) => !passed);
  const reasons = missed.map(({ prompt, problems }) =>
    [
      style.title(wrapped(printable(prompt, io), io.columns)),
      ...problems.map((problem) => wrapped(printable(problem, io), io.columns, '  ', '    ')),
    ].join('\n'),
  );
  const summary =
    missed.length === 0
      ? `${count(outcomes.length, 'prompt')}, none missed.`
      : `${count(outcomes.length, 'prompt')}, ${missed.length} missed.`;
  return [textTable(rows, io.columns), ...reasons, summary].join('\n\n');
}

/** `search ×3, read`. */
function namesOf(calls: readonly EvalCall[]): string {
  const runs: { name: string; times: number }[] = [];
  for (const { name } of calls) {
    const last = runs.at(-1);
    if (last?.name === name) last.times++;
    else runs.push({ name, times: 1 });
  }
  return runs.map(({ name, times }) => (times === 1 ? name : `${name} ×${times}`)).join(', ');
}

function short(text: string, width: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

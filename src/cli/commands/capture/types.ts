/** `tenon types`: a module with the types of a server's tools and prompts, and its contract. */
import { type ServerSnapshot, takeSnapshot } from '../../../contract/snapshot.ts';
import { generateTypes } from '../../../contract/types-module.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { writeTextFile } from '../../output/write-file.ts';
import { withClient } from '../../target/open-client.ts';
import { unknownName } from '../../usage-error.ts';

export const run: RunCommand = async (given) => {
  const snapshot = chosen(await withClient(given, (client) => takeSnapshot(client)), given);
  const module = generateTypes(snapshot);
  const file = given.text('out');
  const counts = { tools: snapshot.tools.length, prompts: snapshot.prompts.length };
  if (file === undefined) return { result: { ...counts, module }, text: module.trimEnd() };
  await writeTextFile(file, module, given.io);
  return {
    result: { ...counts, file },
    text: `${file} has the types of ${counts.tools} tools and ${counts.prompts} prompts.`,
  };
};

/** Only the tools of `--tool`: others may drift. */
function chosen(snapshot: ServerSnapshot, given: Given): ServerSnapshot {
  const wanted = given.texts('tool');
  if (wanted.length === 0) return snapshot;
  const names = snapshot.tools.map(({ name }) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw unknownName('tool', unknown, names, `The server has ${names.join(', ') || 'no tools'}.`);
  return { ...snapshot, tools: snapshot.tools.filter(({ name }) => wanted.includes(name)), prompts: [] };
}

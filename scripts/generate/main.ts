/** `npm run generate`: writes everything that is generated from the models. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { model as foundingElicitation } from '../../src/protocol/dialects/elicitation-model.ts';
import { model as foundingTasks } from '../../src/protocol/dialects/tasks-model.ts';
import { model as tasksExtension } from '../../src/protocol/extensions/tasks-model.ts';
import type { Model } from '../../src/protocol/model/model.ts';
import { records, typedRecords } from '../../src/protocol/model/records.ts';
import { models, newest } from '../../src/protocol/revisions/models.ts';
import { createCheckWriter } from './checks.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { fittingRulesOf, tableModule } from './tables.ts';
import { messageTypes, recordTypes } from './types.ts';

const root = new URL('../../src/protocol/generated/', import.meta.url);

/** Does not write a file that is up to date, so that file watchers and build stamps do not change. */
function write(path: string, text: string): void {
  const file = fileURLToPath(new URL(path, root));
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

const checks = createCheckWriter([...models.values(), tasksExtension, foundingTasks, foundingElicitation]);

for (const [id, model] of models) {
  write(`tables/${id}.ts`, tableModule(model, checks, '../../'));
  write(`types/${id}.ts`, messageTypes(id, model));
  write(`schema/${id}.json`, `${JSON.stringify(jsonSchemaOf(`MCP ${id}`, model), null, 2)}\n`);
}
write('tables/tasks-extension.ts', tableModule(tasksExtension, checks, '../../', newest));
write('tables/founding-tasks.ts', tableModule(foundingTasks, checks, '../../'));
write('tables/founding-elicitation.ts', tableModule(foundingElicitation, checks, '../../'));
write('types/records.ts', recordTypes(typedRecords));

const kindCheck = (model: Model, name: string, as: string): string =>
  `export { ${checks.check(model, { is: 'named', name }, name)} as ${as} } from './checks.ts';`;
write(
  'result-kinds.ts',
  [
    '/** Checkers of input-required and task results, and of the results of server requests, generated from the models: do not edit, run `npm run generate`. */',
    kindCheck(newest, 'InputRequiredResult', 'isInputRequiredResult'),
    kindCheck(tasksExtension, 'CreateTaskResult', 'isTask'),
    kindCheck(newest, 'ElicitResult', 'isElicited'),
    kindCheck(newest, 'CreateMessageResult', 'isSampled'),
    kindCheck(newest, 'ListRootsResult', 'isRoots'),
    '',
  ].join('\n'),
);
write(
  'record-checks.ts',
  [
    '/** Checkers of the records in lists, in the form of the newest revision, generated from the models: do not edit, run `npm run generate`. */',
    kindCheck(newest, 'Implementation', 'isImplementation'),
    kindCheck(newest, 'Tool', 'isTool'),
    kindCheck(newest, 'Resource', 'isResource'),
    kindCheck(newest, 'ResourceTemplate', 'isResourceTemplate'),
    kindCheck(newest, 'Prompt', 'isPrompt'),
    '',
  ].join('\n'),
);
const fittingRules = Object.fromEntries([...models].map(([id, model]) => [id, fittingRulesOf(records, model)]));
write(
  'fitting-rules.ts',
  [
    '/** What fitting must know of each revision, generated from the models: do not edit, run `npm run generate`. */',
    "import type { FittingRules } from '../fitting/fitting.ts';",
    '',
    `export const fittingRules = ${JSON.stringify(fittingRules, null, 2)} satisfies Record<string, FittingRules>;`,
    '',
  ].join('\n'),
);
write('checks.ts', checks.text());

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
write(
  'version.ts',
  `/** The version of this package, generated from package.json: do not edit, run \`npm run generate\`. */\nexport const version = '${version}';\n`,
);

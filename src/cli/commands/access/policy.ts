/** `tenon policy`: runs the tests of a policy, explains a decision, and compares past decisions with those of a new policy. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DecisionRequest } from '../../../guard/policy/decision.ts';
import { createPolicy, type Policy } from '../../../guard/policy/policy.ts';
import { runPolicyTests } from '../../../guard/policy/policy-tests.ts';
import { type DecisionChange, replayDecisions } from '../../../guard/policy/replay.ts';
import { type PolicyAction, policyActions } from '../../../guard/policy/rule.ts';
import { searchAudit } from '../../../node/guard/audit/search-audit.ts';
import { readPolicyFile } from '../../../node/guard/read-policy.ts';
import { type RunAction, runAction, wordsOf } from '../../input/action-word.ts';
import { auditFolder } from '../../input/audit-folder.ts';
import { callArguments, objectIn } from '../../input/call-arguments.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { printable } from '../../output/content.ts';
import { styleFor } from '../../output/style.ts';
import { textTable } from '../../output/table.ts';
import { unknownName, usageError } from '../../usage-error.ts';

/**
 * Records that `tenon policy replay` reads.
 * @limit command line
 * @beyond it ends, and says so
 */
const maxRecords = 1_000_000;

/**
 * Changes that `tenon policy replay` lists.
 * @limit command line
 * @option --limit
 * @beyond the output says that there are more
 */
const defaultChanges = 1000;

const test: RunAction = async (given, words) => {
  const [file = ''] = wordsOf(words, 'FILE');
  const { passed, results } = runPolicyTests(readPolicy(given, file));
  const style = styleFor(given.io);
  const lines = results.map(
    (one) => `${one.passed ? style.good('✓') : style.bad('✗')} ${printable(one.text, given.io)}`,
  );
  const count = results.filter((one) => one.passed).length;
  const summary =
    results.length === 0 ? 'The policy is valid. It has no tests.' : `${count} of ${results.length} passed`;
  return {
    result: { passed, tests: results.map(({ test: { line, expect }, ...rest }) => ({ line, expect, ...rest })) },
    text: [...lines, summary].join('\n'),
    exit: passed ? 0 : 1,
  };
};

const explain: RunAction = async (given, [file, action, target, ...args]) => {
  if (file === undefined || action === undefined || target === undefined)
    throw usageError(
      'FILE, ACTION and NAME are needed.',
      'Write tenon policy explain policy.yaml call deploy env=prod.',
    );
  const policy = readPolicy(given, file);
  const { decisionId } = policy.decide(requestOf(given, action, target, args));
  const explained = policy.explain(decisionId);
  if (explained === undefined) throw new Error('The decision is not known.');
  const { effect, rule, reason, text, rules } = explained;
  const rows = rules.map((one) => [
    printable(one.rule, given.io),
    one.effect,
    `line ${one.line}`,
    `to ${one.to}, on ${one.on}${one.when === undefined ? '' : `, when ${one.when.match}`}`,
  ]);
  const table = rows.length === 0 ? '' : `\n\n${textTable(rows, given.io.columns)}`;
  return { result: { effect, rule, reason, text, rules }, text: `${effect}\n${printable(text, given.io)}${table}` };
};

const replay: RunAction = async (given, words) => {
  const [file = '', folder = ''] = wordsOf(words, 'FILE', 'FOLDER');
  const policy = readPolicy(given, file);
  const records = searchAudit(await auditFolder(folder, given.io), {
    kinds: ['decision', 'call-start'],
    includePrivate: true,
    maxRecords,
  });
  const limit = given.count('limit') ?? defaultChanges;
  const changes: DecisionChange[] = [];
  let hasMore = false;
  for await (const change of replayDecisions(records, policy)) {
    if (changes.length === limit) {
      hasMore = true;
      break;
    }
    changes.push(change);
  }
  const lines = changes.map(({ text }) => printable(text, given.io));
  const { nextFrom } = records;
  if (changes.length === 0) lines.push('No decision would change.');
  if (hasMore) lines.push(`More than ${limit} would change: see all with --limit N.`);
  if (nextFrom !== undefined) lines.push(`Only the first ${maxRecords} records were read, up to number ${nextFrom}.`);
  return {
    result: { changes, hasMore, ...(nextFrom !== undefined && { nextFrom }) },
    text: lines.join('\n'),
    exit: changes.length === 0 ? 0 : 1,
  };
};

export const run: RunCommand = (given) => runAction(given, { test, explain, replay });

function readPolicy({ io: { cwd } }: Given, file: string): Policy {
  const path = resolve(cwd, file);
  if (!existsSync(path)) throw usageError(`There is no file ${path}.`, 'Pass the path of a policy.');
  return createPolicy(readPolicyFile(path).text, { fileName: file });
}

/** Parsed as a test of a policy, so that `--as` accepts the same members as `as` there, with the same errors. */
function requestOf(given: Given, action: string, target: string, args: readonly string[]): DecisionRequest {
  if (!(policyActions as readonly string[]).includes(action))
    throw unknownName('action', action, policyActions, `It can be ${policyActions.join(', ')}.`);
  const fields = callArguments({ words: args, json: given.text('args') }, {});
  const as = given.text('as');
  const asked = {
    [action]: targetOf(action as PolicyAction, target),
    args: fields,
    expect: 'default',
    ...(as !== undefined && { as: objectIn(as, '--as') }),
  };
  try {
    const { tests } = createPolicy(JSON.stringify({ version: 1, rules: [], tests: [asked] }));
    return (tests[0] as { readonly request: DecisionRequest }).request;
  } catch (error) {
    // Without the place in the document, which was not written by the user.
    const problem = (error as Error).message.replace(/^.*?tests\[0\]\./s, '');
    throw usageError(`The request is not valid: ${problem}`, 'See tenon policy --help.');
  }
}

/** `list` and `complete` are about several kinds of features: `tool:deploy`. */
function targetOf(action: PolicyAction, target: string): unknown {
  const [, kind, name] = /^(server|tool|resource|template|prompt):(?!\/\/)(.+)$/s.exec(target) ?? [];
  if (kind !== undefined) return { [kind]: name };
  if (action === 'list' || action === 'complete')
    throw usageError(
      `${action} needs the kind of ${JSON.stringify(target)}.`,
      'Write tool:NAME, prompt:NAME or resource:URI.',
    );
  return target;
}

/** The command line names topics, their words and options. Run with `node --test bench/lib`. */
import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { readArguments } from './arguments.mjs';

const topics = {
  plain: {},
  shares: { options: ['json', 'short'] },
  compare: { word: 'commit or folder', options: ['short'], onlyByName: true },
};

test('without names all topics run but those that run only by name', () => {
  deepEqual(readArguments([], topics), { runs: [{ name: 'plain' }, { name: 'shares' }], json: false, short: false });
});

test('a word after a topic that takes one is its word, and options stand anywhere', () => {
  const { runs, short } = readArguments(['--short', 'compare', 'HEAD~3', 'shares'], topics);
  deepEqual(runs, [{ name: 'compare', word: 'HEAD~3' }, { name: 'shares' }]);
  deepEqual(short, true);
});

for (const [what, args, message] of [
  ['an unknown topic', ['other'], /unknown topic other; the topics are plain, shares, compare \[commit or folder\]/],
  ['a word too many', ['compare', 'HEAD', 'main'], /unknown topic main/],
  ['an option that the topic lacks', ['plain', '--json'], /plain has no option --json; these have it: shares/],
  ['an unknown option', ['shares', '--fast'], /shares has no option --fast; the options are --json and --short/],
]) {
  test(`${what} is refused`, () => {
    throws(() => readArguments(args, topics), message);
  });
}

/** Attacks by documents that become policies: they cost too much, or say something else than they seem to. */
import type { Attack } from '../attack.ts';

const rule = (more: string): string => `version: 1\nrules:\n  - {id: a, deny: [call], to: any, on: any, ${more}}\n`;
const bomb = `version: 1\na: &a [x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nrules: [*c]\n`;

type Row = readonly [id: string, does: string, document: string, because: string];

const rows: readonly Row[] = [
  ['document-01', 'multiplies values by aliases', bomb, 'anchor or alias'],
  ['document-02', 'runs code by a tag', 'version: 1\nrules: !!js/function "() => 1"', 'tag'],
  ['document-03', 'repeats a key, of which a reader sees only the first', `${rule('')}rules: []\n`, 'unique'],
  ['document-04', 'hides a second document', `${rule('')}---\nversion: 1\nrules: []\n`, 'multiple documents'],
  ['document-05', 'nests lists without end', '['.repeat(200_000), 'policy'],
  ['document-06', 'is larger than any policy', `version: 1\nrules: []\n# ${'x'.repeat(256 * 1024)}`, '262144'],
  ['document-07', 'has a pattern that backtracks', rule(`when: 'args.a.matches("(?=x)")'`), 'RE2'],
  ['document-08', 'has a pattern of a million states', rule(`when: 'args.a.matches("(x{1000}){1000}")'`), 'RE2'],
  ['document-09', 'lets the caller choose the pattern', rule(`when: 'args.a.matches(args.b)'`), 'literal'],
  ['document-10', 'loops within a loop', rule(`when: 'args.a.all(x, args.b.all(y, x == y))'`), 'one level'],
  ['document-11', 'builds values that grow', rule(`when: 'args.a.map(x, x + x).size() > 0'`), 'map()'],
  [
    'document-12',
    'has a condition of thousands of parts',
    rule(`when: '${Array(80).fill('args.a == 1').join(' && ')}'`),
    '200',
  ],
  [
    'document-13',
    'misspells an effect, so that nothing is denied',
    'version: 1\nrules:\n  - {id: a, denny: [call], to: any, on: any}',
    'denny',
  ],
  [
    'document-14',
    'misspells a variable, so that a condition never holds',
    rule(`when: 'argz.env == "prod"'`),
    'Variables are args',
  ],
];

export const documents: readonly Attack[] = rows.map(([id, does, document, because]) => ({
  id,
  attacker: 'a policy author',
  does,
  sends: { document },
  gets: { code: 'invalid-policy', because },
}));

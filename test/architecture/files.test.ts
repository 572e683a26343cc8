/** Files are short, say what they are for and have names that describe their content. Each rule is tested to fail. */
import { describe, expect, it } from 'vitest';
import {
  emptyNames,
  fileGuide,
  fileLengths,
  fileLimit,
  functionLengths,
  functionLimit,
  lengthBreaks,
  lifecycleReads,
  missingOpenings,
  needlessDatedPlaces,
  platformReads,
  revisionDates,
  sharedHooks,
  versionComparisons,
} from './file-rules.ts';
import { pathsUnder, readSource, readTexts, readTree } from './source-tree.ts';

const tree = [...readTree('src'), ...readTree('apps'), ...readTree('packages')].filter(
  ({ path }) => !path.startsWith('src/protocol/generated/'),
);
for (const { path, lines } of tree) {
  if (lines > fileGuide) console.warn(`${path} has ${lines} lines: files are best under ${fileGuide}`);
}

const longLines = (count: number): string => 'a;\n'.repeat(count);

describe('src, apps and packages', () => {
  it.each([
    ['opens every file with a sentence', missingOpenings],
    ['names revision dates only in protocol/revisions', revisionDates],
    ['reads lifecycle only where a revision is chosen, and in protocol', lifecycleReads],
    ['compares no protocol versions by their dates', versionComparisons],
    ['chooses by the platform only in functions, which take it as a parameter', platformReads],
  ])('%s', (_, rule) => {
    expect(tree.length).toBeGreaterThan(0);
    expect(rule(tree)).toEqual([]);
  });

  it('keeps files and functions within their limits', () => {
    expect(lengthBreaks(fileLengths(tree), fileLimit)).toEqual([]);
    expect(lengthBreaks(functionLengths(tree), functionLimit)).toEqual([]);
  });
});

it('names revision dates in scripts, bench and the build only where the rule lists it', () => {
  const others = ['src/cli/packaging/registry-documents.ts'];
  const texts = readTexts(['scripts', 'bench', 'tsdown.config.ts', 'vitest.config.ts', ...others]);
  expect(texts.map(({ path }) => path)).toContain('tsdown.config.ts');
  expect(revisionDates(texts)).toEqual([]);
  expect(needlessDatedPlaces(texts)).toEqual([]);
});

it('names every file of src, apps, packages, test, scripts and examples for the thing it holds', () => {
  expect(emptyNames(['src', 'apps', 'packages', 'test', 'scripts', 'examples'].flatMap(pathsUnder))).toEqual([]);
});

it('registers hooks only in test files', () => {
  expect(sharedHooks(readTexts(['test', 'src']))).toEqual([]);
});

describe('the rules', () => {
  it('see a hook in a module that is no test file', () => {
    const text = 'afterEach(() => {});\n';
    expect(sharedHooks([{ path: 'test/a/served.ts', text }])).toHaveLength(1);
    expect(sharedHooks([{ path: 'test/a/a.test.ts', text }])).toEqual([]);
  });

  it('see empty words in file and folder names, and leave words that only contain them', () => {
    const bad = ['src/utils.ts', 'src/a/http-helper.ts', 'src/shared/a.ts', 'src/base.test.ts', 'src/legacy-wire.ts'];
    expect(emptyNames(bad)).toHaveLength(bad.length);
    expect(emptyNames(['src/database.ts', 'src/baseline.ts', 'src/commons-list.ts'])).toEqual([]);
  });

  it.each([
    ['/** Reads frames from bytes. */\n', 0],
    ['/** Reads frames from bytes,\n * and more. */\n', 0],
    ['#!/usr/bin/env node\n/** The command line of Tenon. */\n', 0],
    ['/** Reads frames from bytes */\n', 1],
    ['/** */\n', 1],
    ["import './a.ts';\n", 1],
    ['// Reads frames from bytes.\n', 1],
  ])('judge the opening %j', (text, complaints) => {
    expect(missingOpenings([readSource('src/a/b.ts', text)])).toHaveLength(complaints);
  });

  it('see a revision date outside protocol/revisions', () => {
    const text = "const a = '2025-06-18'; // since 2024-11-05";
    expect(revisionDates([readSource('src/server/a.ts', text)])).toHaveLength(2);
    expect(revisionDates([{ path: 'scripts/a.mjs', text }])).toHaveLength(2);
    expect(revisionDates([readSource('src/protocol/revisions/a.ts', text)])).toEqual([]);
    expect(revisionDates([{ path: 'scripts/ledger/rows.ts', text }])).toEqual([]);
    expect(needlessDatedPlaces([{ path: 'scripts/ledger/rows.ts', text: '' }])).toContain('scripts/ledger/rows.ts');
  });

  it.each(['a.lifecycle', "a['lifecycle']", 'const { lifecycle } = a', 'const { lifecycle: b } = a'])(
    'see that "%s" reads lifecycle',
    (text) => {
      expect(lifecycleReads([readSource('src/server/a.ts', text)])).toHaveLength(1);
      expect(lifecycleReads([readSource('src/server/lifecycle/select.ts', text)])).toEqual([]);
    },
  );

  it.each([
    "client.protocolVersion < '2025-06'",
    "version >= '2026'",
    'a.protocolVersion > protocolVersion',
    'revision.id <= other',
  ])('see that "%s" compares dates', (text) => {
    expect(versionComparisons([readSource('src/server/a.ts', text)])).toHaveLength(1);
  });

  it('leave other comparisons alone, and whether two versions are the same', () => {
    const text = "a.protocolVersion === b; versions.length > 2; size < 2026; name < '20 items'; version.id < 3;";
    expect(versionComparisons([readSource('src/server/a.ts', text)])).toEqual([]);
  });

  it.each([
    ["const isWindows = process.platform === 'win32';", 1],
    ['const names = { here: process.platform };', 1],
    ["const isWindows = (platform = process.platform) => platform === 'win32';", 0],
    ['function here() { return process.platform; }', 0],
  ])('judge the platform in "%s"', (text, complaints) => {
    expect(platformReads([readSource('src/node/a.ts', text)])).toHaveLength(complaints);
  });

  it('do not take writing a lifecycle for reading it', () => {
    expect(lifecycleReads([readSource('src/server/a.ts', "const a = { lifecycle: 'session' };")])).toEqual([]);
  });

  it('see a file over the limit and a function over the limit, by its name', () => {
    const file = readSource('src/a/b.ts', `const long = () => {\n${longLines(400)}};\n`);
    expect(lengthBreaks(fileLengths([file]), fileLimit)).toHaveLength(1);
    expect(lengthBreaks(functionLengths([file]), functionLimit)).toHaveLength(1);
    expect(lengthBreaks({ 'src/a.ts': 400 }, 400)).toEqual([]);
    expect(lengthBreaks({ 'src/a.ts': 401 }, 400)).toHaveLength(1);
    expect(functionLengths([file])).toEqual({ 'src/a/b.ts > long': 402 });
  });
});

/** Words, the directory and the index of the search. How well it finds is measured in test/agents/search. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { directoryText } from './directory.ts';
import { estimateTokens } from './tokens.ts';
import { createToolIndex } from './tool-index.ts';
import { wordsOf } from './words.ts';

describe('words', () => {
  it.each([
    ['listPullRequests', ['list', 'pull', 'request']],
    ['HTTPServer2 API-get_users', ['http', 'server2', 'api', 'get', 'user']],
    ['creating, created and creates', ['creat', 'creat', 'creat']],
    ['running stopped', ['run', 'stop']],
    ['the status of repositories', ['status', 'repository']],
    ['suche in Größe 大', ['such', 'größ']],
  ])('of %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

const tools = [
  { server: 'git', name: 'git__create_issue', description: 'Create a new issue in a repository' },
  { server: 'git', name: 'git__list_commits', description: 'Get the commits of a branch' },
  {
    server: 'files',
    name: 'files__read',
    description: 'Read a file',
    inputSchema: { properties: { encoding: { description: 'Such as utf8 or base64' } } },
  },
];

describe('the index of tools', () => {
  it('finds a tool by its name, its description, its arguments and a synonym', () => {
    const index = createToolIndex();
    index.add(tools);
    for (const query of ['create issue', 'new issues in repos', 'file a ticket: creating'])
      expect(index.search(query, 8)[0]).toBe('git__create_issue');
    expect(index.search('base64', 8)).toEqual(['files__read']);
    expect(index.search('encodings', 8)).toEqual(['files__read']);
  });

  it('returns the best first, at most as many as asked for, and nothing for words that no tool has', () => {
    const index = createToolIndex();
    index.add(tools);
    expect(index.search('commits of a branch in a repository', 1)).toEqual(['git__list_commits']);
    expect(index.search('xylophone', 8)).toEqual([]);
    expect(index.search('', 8)).toEqual([]);
  });

  it('forgets a removed tool, and replaces one that is added again', () => {
    const index = createToolIndex();
    index.add(tools);
    index.remove(['git__create_issue', 'unknown']);
    expect(index.search('issue', 8)).not.toContain('git__create_issue');
    index.add([{ name: 'files__read', description: 'Plays music' }]);
    expect(index.search('base64', 8)).toEqual([]);
    expect(index.search('music', 8)).toEqual(['files__read']);
  });

  it('gives the same answer in whatever order tools were added and removed', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(tools, { minLength: 3 }), (shuffled) => {
        const [one, other] = [createToolIndex(), createToolIndex()];
        one.add(tools);
        other.add([{ name: 'gone', description: 'issue commit file' }, ...shuffled]);
        other.remove(['gone']);
        expect(other.search('issue commit file', 8)).toEqual(one.search('issue commit file', 8));
      }),
      { seed: 7, numRuns: 50 },
    );
  });
});

describe('the directory', () => {
  const many = Array.from({ length: 40 }, (_, n) => ({ server: 'big', name: `big__tool_number_${n}` }));

  it('has a line for each server with the names of its tools, and no text of a server', () => {
    expect(directoryText(tools, 100)).toBe('git: create_issue, list_commits\nfiles: read');
    expect(directoryText([{ name: 'alone' }, { name: 'b' }], 100)).toBe('alone, b');
  });

  it('shortens the longest line first', () => {
    expect(directoryText([...many, ...tools], 20)).toBe('big: 40 tools\ngit: create_issue, list_commits\nfiles: read');
    expect(directoryText([...many, ...tools], 11)).toBe('big: 40 tools\ngit: 2 tools\nfiles: read');
  });

  it('counts the servers that do not fit', () => {
    const servers = Array.from({ length: 100 }, (_, n) => ({ server: `server${n}`, name: `server${n}__x` }));
    const text = directoryText(servers, 50);
    expect(estimateTokens(text)).toBeLessThanOrEqual(50);
    expect(text).toMatch(/^server0: 1 tools\n[\s\S]*\nand \d\d more servers$/);
  });

  it('has each server on one line, whatever its name is', () => {
    expect(directoryText([{ server: 'a\nb: delete_all', name: 'x' }], 100)).toBe('a b: delete_all: x');
  });
});

it('tokens are a quarter of the characters, rounded up', () => {
  expect([estimateTokens(''), estimateTokens('abcde')]).toEqual([0, 2]);
});

/** Names that model APIs reject, and names that are equal once clients have joined and cut them. */
import type { CheckedTool } from './cost.ts';
import { finding, listed, type ToolFinding } from './finding.ts';
import { wordsIn } from './words.ts';

/** Model APIs take `^[a-zA-Z0-9_-]{1,64}$`. */
const longest = 64;
const notAllowed = /[^A-Za-z0-9_-]/gu;
const between = '__';

/** As clients write a name for a model: the server before it, other characters replaced, cut. */
const joined = (server: string, name: string): string =>
  `${server}${between}${name}`.replace(notAllowed, '_').slice(0, longest);

export function nameFindings(tools: readonly CheckedTool[], server: string): ToolFinding[] {
  const unique = [...new Set(tools.map(({ name }) => name))];
  return [...repeated(tools), ...unique.flatMap((name) => oneName(name, server)), ...sameNames(unique, server)];
}

function oneName(name: string, server: string): ToolFinding[] {
  const wrong = [...new Set(name.match(notAllowed))];
  const whole = `${server}${between}${name}`;
  if (name === '')
    return [finding('name-characters', name, 'The name is empty. No model API accepts that.', 'Name the tool.')];
  return [
    ...(wrong.length === 0
      ? []
      : [
          finding(
            'name-characters',
            name,
            `The name has ${listed(wrong)}. OpenAI and Anthropic accept letters, digits, _ and - only.`,
            'Rename the tool. Clients replace these characters, each in its own way.',
          ),
        ]),
    ...(whole.length <= longest
      ? []
      : [
          finding(
            'name-long',
            name,
            `With its server the name has ${whole.length} characters (\`${whole.slice(0, 200)}\`). Model APIs accept ${longest}.`,
            `Shorten the name by ${whole.length - longest} characters: clients cut it.`,
          ),
        ]),
  ];
}

function repeated(tools: readonly CheckedTool[]): ToolFinding[] {
  const names = tools.map(({ name }) => name);
  return groupsBy(names, (name) => name).map((same) =>
    finding(
      'name-collision',
      same[0],
      `The server lists ${same.length} tools of this name. A call reaches one of them.`,
      'Give each tool a name of its own.',
    ),
  );
}

/** Equal for a model API, or nearly equal for a model. */
function sameNames(names: readonly string[], server: string): ToolFinding[] {
  const collisions = groupsBy(names, (name) => joined(server, name));
  const alike = groupsBy(names, (name) => wordsIn(name).join('')).filter(
    (group) => !collisions.some((one) => group.every((name) => one.includes(name))),
  );
  return [
    ...collisions.map(([first = '', ...others]) =>
      finding(
        'name-collision',
        first,
        `Clients write this name and ${listed(others)} as \`${joined(server, first)}\`.`,
        `Let the names differ in letters, digits, _ or -, within ${longest} characters with the name of the server.`,
      ),
    ),
    ...alike.map(([first = '', ...others]) =>
      finding(
        'names-alike',
        first,
        `The name differs from ${listed(others)} only in case or separators.`,
        'Rename one: models mix them up.',
      ),
    ),
  ];
}

/** Groups of names with the same key; names that are alone are in none. */
function groupsBy(names: readonly string[], keyOf: (name: string) => string): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const key = keyOf(name);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [name]);
    else group.push(name);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

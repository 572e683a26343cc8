/** The definitions of the toolkit's own tools. Their names have no double underscore, so no server of a host has them. */
/** A tool of the toolkit. */
export interface OwnTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export const findToolsName = 'find_tools';
export const readMoreName = 'read_more';
export const callToolName = 'call_tool';
export const ownToolNames: readonly string[] = [findToolsName, readMoreName, callToolName];

/** The tool of `tenon/agents/code`. */
export const runCodeName = 'run_code';

/** What stands before the directory in the description of `find_tools`. */
export const directoryTitle = 'Directory, by server:';

/** Finds tools. Its description has the directory, so that a model knows what there is. */
export const findToolsTool = (directory: string): OwnTool => ({
  name: findToolsName,
  description:
    'Finds tools that are not in your list yet. Call it with a few words about what you want to do, or with names from ' +
    'the directory. It answers with their full names; you can call them from your next step on. ' +
    `${directoryTitle}\n${directory}`,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What you want to do, in a few words' },
      names: { type: 'array', items: { type: 'string' }, description: 'Names of tools in the directory' },
      limit: { type: 'integer', minimum: 1, maximum: 20, description: 'How many tools at most; 8 by default' },
    },
    additionalProperties: false,
  },
});

/** Listed from the first turn on: adding it later would change the beginning of the prompt. */
export const readMoreTool: OwnTool = {
  name: readMoreName,
  description:
    'Reads more of a long result. Where text was left out, a note in brackets has a handle. Pass it with from, the ' +
    'character to begin at, or with find, to see only the places that have a text.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'The handle in the note where text was left out' },
      from: { type: 'integer', minimum: 0, description: 'The character to begin at' },
      find: { type: 'string', description: 'Show only the places that have this text, with the lines around' },
    },
    required: ['handle'],
    additionalProperties: false,
  },
};

/** For frameworks that fix the list of tools when an agent is made. */
export const callToolTool: OwnTool = {
  name: callToolName,
  description: `Calls a tool that ${findToolsName} has found.`,
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The full name of the tool' },
      arguments: { type: 'object', description: 'The arguments, as the schema of the tool describes them' },
    },
    required: ['name', 'arguments'],
  },
};

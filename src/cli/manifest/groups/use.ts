/** Commands that use what a server offers. */
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../../io/command.ts';

const fields: ArgumentSpec = {
  name: 'ARGUMENTS',
  about: 'name=value, read by the type in the schema; name:=JSON for any value; or one JSON object',
  isRest: true,
};

const save: OptionSpec = { about: 'write images, audio and blobs to this folder', value: 'DIR' };

/** Options for the questions of a server. */
const answering: Readonly<Record<string, OptionSpec>> = {
  answers: { about: 'answer the questions of the server from this JSON file', value: 'FILE' },
};

const calling: Readonly<Record<string, OptionSpec>> = {
  args: { about: 'the arguments as one JSON object, or - for standard input', value: 'JSON' },
  form: { about: 'ask for the arguments in the terminal' },
  save,
  detach: { about: 'start the call as a task and print its ID, for servers at a URL' },
  ...answering,
};

export const use: readonly CommandSpec[] = [
  {
    name: 'call',
    group: 'use',
    about: 'Calls a tool.',
    target: 'one',
    arguments: [{ name: 'TOOL', about: 'the name of the tool' }, fields],
    options: calling,
    examples: [
      ['tenon call echo message=hi -- node server.js', 'a text'],
      ['tenon call https://example.com/mcp add a:=1 b:=2 --json', 'numbers, with the result as JSON'],
      ['tenon call ./server.ts report --form', 'a form for each argument'],
    ],
    load: () => import('../../commands/use/call.ts'),
  },
  {
    name: 'read',
    group: 'use',
    about: 'Reads a resource.',
    target: 'one',
    arguments: [{ name: 'URI', about: 'the URI of the resource' }],
    options: { save, ...answering },
    examples: [['tenon read ./server.ts file:///notes.txt', 'prints it']],
    load: () => import('../../commands/use/read.ts'),
  },
  {
    name: 'get',
    group: 'use',
    about: 'Gets the messages of a prompt.',
    target: 'one',
    arguments: [
      { name: 'PROMPT', about: 'the name of the prompt' },
      { ...fields, about: 'name=value' },
    ],
    options: { save, ...answering },
    examples: [['tenon get ./server.ts review language=ts', 'with an argument']],
    load: () => import('../../commands/use/get.ts'),
  },
  {
    name: 'answer',
    group: 'use',
    about: 'Answers a question of a server and continues its call. Without an ID it lists the questions that wait.',
    target: 'none',
    arguments: [
      { name: 'ID', about: 'the ID that the call printed', isOptional: true },
      {
        ...fields,
        about: 'the fields of a form as name=value or name:=JSON, text=… as the answer of a model, or one JSON object',
      },
    ],
    options: {
      args: { about: 'the answer as one JSON object', value: 'JSON' },
      accept: { about: 'accept a URL, or a form as it is' },
      decline: { about: 'decline' },
      cancel: { about: 'close the form without an answer' },
      question: { about: 'the key of the question, if several wait (default: the first)', value: 'KEY' },
      save,
    },
    examples: [
      ['tenon answer', 'lists the questions that wait'],
      ['tenon answer 3f9c1a2b4d city=Rome', 'fills in a form'],
      ['tenon answer 3f9c1a2b4d --decline', 'declines: the call continues without an answer'],
    ],
    load: () => import('../../commands/use/answer.ts'),
  },
  {
    name: 'tasks',
    group: 'use',
    about: 'Lists, shows and cancels tasks of a server, and gets their results.',
    target: 'one',
    arguments: [
      {
        name: 'ACTION',
        about: 'list (default), show, cancel or result',
        choices: ['list', 'show', 'cancel', 'result'],
        isOptional: true,
      },
      { name: 'ID', about: 'the ID of the task', isOptional: true },
    ],
    options: { save, ...answering },
    examples: [
      ['tenon call https://example.com/mcp report --detach', 'starts one'],
      ['tenon tasks https://example.com/mcp', 'those that the server lists, or that were started here'],
      ['tenon tasks https://example.com/mcp result 786512e2', 'waits for its result'],
    ],
    load: () => import('../../commands/use/tasks.ts'),
  },
  {
    name: 'repl',
    group: 'use',
    about: 'Connects once, and runs the commands that you type one after the other.',
    target: 'one',
    examples: [
      ['tenon repl ./server.ts', 'with history, and completion by Tab'],
      ['tenon repl -- node server.js < commands.txt', 'the lines of a file, until one fails'],
    ],
    load: () => import('../../commands/use/repl.ts'),
  },
  {
    name: 'complete',
    group: 'use',
    about: 'Completes an argument of a prompt, or a variable of a resource template.',
    target: 'one',
    arguments: [
      { name: 'REF', about: 'the name of a prompt, or a URI template' },
      { name: 'ARGUMENT', about: 'what is typed so far, as k=v; earlier arguments before it', isRest: true },
    ],
    examples: [['tenon complete ./server.ts review language=ty', 'what begins with ty']],
    load: () => import('../../commands/use/complete.ts'),
  },
];

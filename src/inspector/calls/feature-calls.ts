/** Calls that use what a server offers: lists, completion, runs, tasks, and answers to its questions. */
import type { Client } from '../../client/api/client.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { flag } from '../../lib/options/option-rules.ts';
import type { FeatureKind, FeatureLists } from '../api/runs.ts';
import { InspectorError } from '../api-error.ts';
import type { CallTable } from './call.ts';
import {
  answer,
  anything,
  argument,
  featureKind,
  reference,
  runRequest,
  text,
  textRecord,
  texts,
} from './field-rules.ts';

export const featureCalls: CallTable<
  | 'list'
  | 'quality'
  | 'complete'
  | 'validate'
  | 'run'
  | 'cancel'
  | 'result'
  | 'forget'
  | 'answer'
  | 'tasks'
  | 'cancelTask'
> = {
  list: {
    required: { client: text, kind: featureKind },
    optional: { reload: flag },
    run: async ({ client, kind, reload = false }, { clients }) => ({
      kind,
      items: await listed(clients.get(client).client, kind, reload),
    }),
  },
  quality: {
    required: { client: text },
    async run({ client }, { clients }) {
      const of = clients.get(client).client;
      const { checkTools } = await import('../../agents/quality/check-tools.ts');
      return checkTools(await knownTools(of), { server: of.serverInfo?.name, instructions: of.instructions });
    },
  },
  complete: {
    required: { client: text, ref: reference, argument },
    optional: { context: textRecord },
    run: ({ client, ref, argument, context }, { clients }) =>
      clients.get(client).client.complete(ref, argument, context && { ...context }),
  },
  validate: {
    required: { client: text, tool: text, arguments: anything },
    async run({ client, tool, arguments: args }, { clients, problemsOf }) {
      if (problemsOf === undefined) return { problems: [] };
      const of = clients.get(client).client;
      const found = (await knownTools(of)).find(({ name }) => name === tool);
      if (found === undefined) throw new InspectorError('not-found', `The server has no tool ${JSON.stringify(tool)}.`);
      return { problems: await problemsOf(found.inputSchema, args) };
    },
  },
  run: {
    required: { client: text, request: runRequest },
    async run({ client, request }, { clients, runs, apps }) {
      const found = clients.get(client);
      await apps?.check(found, request);
      return { run: runs.start(found, request) };
    },
  },
  cancel: {
    required: { run: text },
    run({ run }, { runs }) {
      runs.cancel(run);
      return {};
    },
  },
  result: { required: { run: text }, run: ({ run }, { runs }) => runs.result(run) },
  forget: {
    required: { runs: texts },
    run({ runs: ids }, { runs }) {
      for (const id of ids) runs.forget(id);
      return {};
    },
  },
  answer: {
    required: { question: text, answer },
    run({ question, answer }, { questions }) {
      questions.answer(question, answer);
      return {};
    },
  },
  tasks: {
    required: { client: text },
    async run({ client: id }, { clients }) {
      const { client, tasks } = clients.get(id);
      const own = await client.tasks.list().all().catch(withoutList);
      for (const task of own) tasks.set(task.taskId, task);
      return { tasks: [...tasks.values()] };
    },
  },
  cancelTask: {
    required: { client: text, taskId: text },
    async run({ client, taskId }, { clients }) {
      await clients.get(client).client.tasks.cancel(taskId);
      return {};
    },
  },
};

/** The tools that were last listed, by client. */
const lastTools = new WeakMap<Client, FeatureLists['tools']>();

/** Checking while the user types must not fill the timeline with lists. */
const knownTools = async (client: Client): Promise<FeatureLists['tools']> =>
  lastTools.get(client) ?? ((await listed(client, 'tools', false)) as FeatureLists['tools']);

/** Nothing where the server does not declare the feature. */
async function listed(client: Client, kind: FeatureKind, reload: boolean): Promise<FeatureLists[FeatureKind]> {
  const { capabilities, tools, resources, prompts } = client;
  if (capabilities[kind === 'templates' ? 'resources' : kind] === undefined) return [];
  const options = reload ? ({ cache: 'reload' } as const) : {};
  switch (kind) {
    case 'tools': {
      const all = await tools.list(options).all();
      lastTools.set(client, all);
      return all;
    }
    case 'resources':
      return resources.list(options).all();
    case 'templates':
      return resources.listTemplates(options).all();
    case 'prompts':
      return prompts.list(options).all();
  }
}

/** Where tasks cannot be listed, those that were seen are. */
function withoutList(error: unknown): [] {
  if (error instanceof TenonError && error.code === 'capability-not-supported') return [];
  throw error;
}

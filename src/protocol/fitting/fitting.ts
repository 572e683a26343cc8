/** Makes neutral values fit a revision: what it lacks is left out or said in a way it has. */
import { contentFit, oneBlock, oneBlockPerMessage } from './content.ts';
import { formCapability, plainForm } from './form.ts';
import { at, chain, each, type Fit, leaveOut, type Step } from './steps.ts';
import { objectSchema, objectToolResult } from './structured.ts';

/** What a revision's model says about writing, read off by the generator. */
export interface FittingFacts {
  /** By record: the fields that the neutral record has and the revision's does not. */
  readonly newer: Readonly<Record<string, readonly string[] | undefined>>;
  /** The kinds of content it knows. */
  readonly content: readonly string[];
  readonly sampling: readonly string[];
  /** Whether structured output has to be an object. */
  readonly objectOutput: boolean;
}

/** How the values of a method are made to fit. A method that is not here fits as it is. */
export interface Fitting {
  readonly params: ReadonlyMap<string, Fit>;
  readonly results: ReadonlyMap<string, Fit>;
  /** How client capabilities and a name card are made to fit, wherever they stand. */
  readonly capabilities: Step;
  readonly implementation: Step;
  readonly objectOutput: boolean;
}

/** Made when first looked at: a connection speaks one revision, and a server would start later for the others. */
export function createFitting(facts: FittingFacts): Fitting {
  let made: Fitting | undefined;
  const whole = (): Fitting => {
    made ??= makeFitting(facts);
    return made;
  };
  return {
    objectOutput: facts.objectOutput,
    get params() {
      return whole().params;
    },
    get results() {
      return whole().results;
    },
    get capabilities() {
      return whole().capabilities;
    },
    get implementation() {
      return whole().implementation;
    },
  };
}

function makeFitting(facts: FittingFacts): Fitting {
  const { newer, objectOutput } = facts;
  const implementation = leaveOut(newer.Implementation);
  const capabilities = chain(
    leaveOut(newer.ClientCapabilities),
    at('roots', leaveOut(newer.RootsCapability)),
    at('sampling', leaveOut(newer.SamplingCapability)),
    newer.ElicitationCapability && formCapability,
  );
  return {
    params: fits({
      initialize: chain(at('clientInfo', implementation), at('capabilities', capabilities)),
      ...paramSteps(facts),
    }),
    results: fits(resultSteps(facts)),
    capabilities,
    implementation,
    objectOutput,
  };
}

const fits = (table: Readonly<Record<string, Step>>): ReadonlyMap<string, Fit> =>
  new Map(Object.entries(table).filter((row): row is [string, Fit] => row[1] !== undefined));

function paramSteps(facts: FittingFacts): Record<string, Step> {
  const strip = (record: string): Step => leaveOut(facts.newer[record]);
  const { tool, sampling, oneAtATime } = recordSteps(facts);
  return {
    'completion/complete': chain(strip('CompleteRequestParams'), at('ref', strip('PromptReference'))),
    'elicitation/create': chain(facts.newer.RequestedSchema && plainForm, strip('ElicitRequestUrlParams')),
    'notifications/progress': strip('ProgressNotificationParams'),
    'sampling/createMessage': chain(
      strip('CreateMessageRequestParams'),
      oneAtATime ? oneBlockPerMessage : undefined,
      each('messages', chain(strip('SamplingMessage'), sampling)),
      each('tools', tool),
    ),
  };
}

function resultSteps(facts: FittingFacts): Record<string, Step> {
  const strip = (record: string): Step => leaveOut(facts.newer[record]);
  const { annotations, contents, content, tool, sampling, oneAtATime } = recordSteps(facts);
  const capabilities = at('capabilities', strip('ServerCapabilities'));
  return {
    initialize: chain(at('serverInfo', strip('Implementation')), capabilities),
    'server/discover': capabilities,
    'tools/list': each('tools', tool),
    'tools/call': chain(strip('CallToolResult'), each('content', content)),
    'resources/list': each('resources', chain(strip('Resource'), annotations)),
    'resources/templates/list': each('resourceTemplates', chain(strip('ResourceTemplate'), annotations)),
    'resources/read': each('contents', contents),
    'prompts/list': each('prompts', chain(strip('Prompt'), each('arguments', strip('PromptArgument')))),
    'prompts/get': each('messages', at('content', content)),
    'roots/list': each('roots', strip('Root')),
    'sampling/createMessage': chain(oneAtATime ? oneBlock : undefined, sampling),
  };
}

/** Steps for records that stand in more than one message. */
function recordSteps(facts: FittingFacts) {
  const strip = (record: string): Step => leaveOut(facts.newer[record]);
  const annotations = at('annotations', strip('Annotations'));
  const contents = chain(strip('TextResourceContents'), strip('BlobResourceContents'));
  const inner = chain(annotations, at('resource', contents));
  const block = chain(contentFit(facts.sampling, strip, inner), facts.objectOutput ? objectToolResult : undefined);
  return {
    annotations,
    contents,
    content: contentFit(facts.content, strip, inner),
    tool: chain(
      strip('Tool'),
      at('annotations', strip('ToolAnnotations')),
      facts.objectOutput ? at('outputSchema', objectSchema) : undefined,
    ),
    sampling: chain(each('content', block), at('content', block)),
    /** A message of the older kind holds one block, never a list. */
    oneAtATime: facts.newer.SamplingMessage !== undefined,
  };
}

/** Converts neutral values to a revision: fields and types that it does not have are removed or replaced. */
import { contentFit, oneBlock, oneBlockPerMessage } from './content.ts';
import { formCapability, plainForm } from './form.ts';
import { at, chain, each, leaveOut, type Step } from './steps.ts';
import { objectSchema, objectToolResult } from './structured.ts';

/** The rules for writing values of a revision. The generator derives them from its model. */
export interface FittingRules {
  /** By record: the fields that the neutral record has and the revision's does not. */
  readonly newer: Readonly<Record<string, readonly string[] | undefined>>;
  /** The kinds of content it knows. */
  readonly content: readonly string[];
  readonly sampling: readonly string[];
  /** Whether structured output has to be an object. */
  readonly objectOutput: boolean;
}

/** The conversion of each method's values. A method without one needs no conversion. */
export interface Fits {
  get(method: string): Step;
}

export interface Fitting {
  readonly params: Fits;
  readonly results: Fits;
  /** The conversions of client capabilities and of `Implementation`, which several messages have. */
  readonly capabilities: Step;
  readonly implementation: Step;
  readonly objectOutput: boolean;
}

export function createFitting(rules: FittingRules): Fitting {
  const parts = new LazyFits(rules, partStep);
  return {
    objectOutput: rules.objectOutput,
    params: new LazyFits(rules, paramStep),
    results: new LazyFits(rules, resultStep),
    get capabilities() {
      return parts.get('capabilities');
    },
    get implementation() {
      return parts.get('implementation');
    },
  };
}

/** Creates each step on first use, so that servers start fast. */
class LazyFits implements Fits {
  readonly #rules: FittingRules;
  readonly #createStep: (rules: FittingRules, method: string) => Step;
  readonly #steps = new Map<string, Step>();

  constructor(rules: FittingRules, make: (rules: FittingRules, method: string) => Step) {
    this.#rules = rules;
    this.#createStep = make;
  }

  get(method: string): Step {
    const step = this.#steps.get(method);
    if (step !== undefined || this.#steps.has(method)) return step;
    const created = this.#createStep(this.#rules, method);
    this.#steps.set(method, created);
    return created;
  }
}

function paramStep(rules: FittingRules, method: string): Step {
  const strip = (record: string): Step => leaveOut(rules.newer[record]);
  switch (method) {
    case 'initialize':
      return chain(at('clientInfo', strip('Implementation')), at('capabilities', capabilityStep(rules)));
    case 'completion/complete':
      return chain(strip('CompleteRequestParams'), at('ref', strip('PromptReference')));
    case 'elicitation/create':
      // Only a dialect has these two, and it sends another method.
      return chain(
        leaveOut(['messages', 'metadata']),
        rules.newer.RequestedSchema && plainForm,
        strip('ElicitRequestUrlParams'),
      );
    case 'notifications/progress':
      return strip('ProgressNotificationParams');
    case 'sampling/createMessage':
      return chain(
        strip('CreateMessageRequestParams'),
        hasSingleBlocks(rules) ? oneBlockPerMessage : undefined,
        each('messages', chain(strip('SamplingMessage'), samplingStep(rules))),
        each('tools', toolStep(rules)),
      );
    default:
      return undefined;
  }
}

function resultStep(rules: FittingRules, method: string): Step {
  const strip = (record: string): Step => leaveOut(rules.newer[record]);
  const annotated = (record: string): Step => chain(strip(record), at('annotations', strip('Annotations')));
  switch (method) {
    case 'initialize':
      return chain(at('serverInfo', strip('Implementation')), at('capabilities', strip('ServerCapabilities')));
    case 'server/discover':
      return at('capabilities', strip('ServerCapabilities'));
    case 'tools/list':
      return each('tools', toolStep(rules));
    case 'tools/call':
      return chain(strip('CallToolResult'), each('content', contentStep(rules, rules.content)));
    case 'resources/list':
      return each('resources', annotated('Resource'));
    case 'resources/templates/list':
      return each('resourceTemplates', annotated('ResourceTemplate'));
    case 'resources/read':
      return each('contents', embeddedStep(rules));
    case 'prompts/list':
      return each('prompts', chain(strip('Prompt'), each('arguments', strip('PromptArgument'))));
    case 'prompts/get':
      return each('messages', at('content', contentStep(rules, rules.content)));
    case 'roots/list':
      return each('roots', strip('Root'));
    case 'sampling/createMessage':
      return chain(hasSingleBlocks(rules) ? oneBlock : undefined, samplingStep(rules));
    default:
      return undefined;
  }
}

const partStep = (rules: FittingRules, part: string): Step =>
  part === 'capabilities' ? capabilityStep(rules) : leaveOut(rules.newer.Implementation);

const capabilityStep = ({ newer }: FittingRules): Step =>
  chain(
    leaveOut(newer.ClientCapabilities),
    at('roots', leaveOut(newer.RootsCapability)),
    at('sampling', leaveOut(newer.SamplingCapability)),
    newer.ElicitationCapability && formCapability,
  );

const embeddedStep = ({ newer }: FittingRules): Step =>
  chain(leaveOut(newer.TextResourceContents), leaveOut(newer.BlobResourceContents));

function contentStep(rules: FittingRules, kinds: readonly string[]): Step {
  const strip = (record: string): Step => leaveOut(rules.newer[record]);
  const inner = chain(at('annotations', strip('Annotations')), at('resource', embeddedStep(rules)));
  return contentFit(kinds, strip, inner);
}

const toolStep = ({ newer, objectOutput }: FittingRules): Step =>
  chain(
    leaveOut(newer.Tool),
    at('annotations', leaveOut(newer.ToolAnnotations)),
    objectOutput ? at('outputSchema', objectSchema) : undefined,
  );

function samplingStep(rules: FittingRules): Step {
  const block = chain(contentStep(rules, rules.sampling), rules.objectOutput ? objectToolResult : undefined);
  return chain(each('content', block), at('content', block));
}

/** Older sampling messages hold one block, never a list. */
const hasSingleBlocks = ({ newer }: FittingRules): boolean => newer.SamplingMessage !== undefined;

/** Converts neutral values to a revision: what it lacks is left out or replaced by what it has. */
import { contentFit, oneBlock, oneBlockPerMessage } from './content.ts';
import { formCapability, plainForm } from './form.ts';
import { at, chain, each, leaveOut, type Step } from './steps.ts';
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

/** By method: how its values are made to fit. A method that has nothing here fits as it is. */
export interface Fits {
  get(method: string): Step;
}

export interface Fitting {
  readonly params: Fits;
  readonly results: Fits;
  /** How client capabilities and a name card are made to fit, wherever they stand. */
  readonly capabilities: Step;
  readonly implementation: Step;
  readonly objectOutput: boolean;
}

export function createFitting(facts: FittingFacts): Fitting {
  const parts = new MadeFits(facts, partStep);
  return {
    objectOutput: facts.objectOutput,
    params: new MadeFits(facts, paramStep),
    results: new MadeFits(facts, resultStep),
    get capabilities() {
      return parts.get('capabilities');
    },
    get implementation() {
      return parts.get('implementation');
    },
  };
}

/** Each step is made on first use, which keeps servers fast to start. */
class MadeFits implements Fits {
  readonly #facts: FittingFacts;
  readonly #make: (facts: FittingFacts, method: string) => Step;
  readonly #made = new Map<string, Step>();

  constructor(facts: FittingFacts, make: (facts: FittingFacts, method: string) => Step) {
    this.#facts = facts;
    this.#make = make;
  }

  get(method: string): Step {
    const made = this.#made.get(method);
    if (made !== undefined || this.#made.has(method)) return made;
    const step = this.#make(this.#facts, method);
    this.#made.set(method, step);
    return step;
  }
}

function paramStep(facts: FittingFacts, method: string): Step {
  const strip = (record: string): Step => leaveOut(facts.newer[record]);
  switch (method) {
    case 'initialize':
      return chain(at('clientInfo', strip('Implementation')), at('capabilities', capabilityStep(facts)));
    case 'completion/complete':
      return chain(strip('CompleteRequestParams'), at('ref', strip('PromptReference')));
    case 'elicitation/create':
      return chain(facts.newer.RequestedSchema && plainForm, strip('ElicitRequestUrlParams'));
    case 'notifications/progress':
      return strip('ProgressNotificationParams');
    case 'sampling/createMessage':
      return chain(
        strip('CreateMessageRequestParams'),
        oneAtATime(facts) ? oneBlockPerMessage : undefined,
        each('messages', chain(strip('SamplingMessage'), samplingStep(facts))),
        each('tools', toolStep(facts)),
      );
    default:
      return undefined;
  }
}

function resultStep(facts: FittingFacts, method: string): Step {
  const strip = (record: string): Step => leaveOut(facts.newer[record]);
  const annotated = (record: string): Step => chain(strip(record), at('annotations', strip('Annotations')));
  switch (method) {
    case 'initialize':
      return chain(at('serverInfo', strip('Implementation')), at('capabilities', strip('ServerCapabilities')));
    case 'server/discover':
      return at('capabilities', strip('ServerCapabilities'));
    case 'tools/list':
      return each('tools', toolStep(facts));
    case 'tools/call':
      return chain(strip('CallToolResult'), each('content', contentStep(facts, facts.content)));
    case 'resources/list':
      return each('resources', annotated('Resource'));
    case 'resources/templates/list':
      return each('resourceTemplates', annotated('ResourceTemplate'));
    case 'resources/read':
      return each('contents', embeddedStep(facts));
    case 'prompts/list':
      return each('prompts', chain(strip('Prompt'), each('arguments', strip('PromptArgument'))));
    case 'prompts/get':
      return each('messages', at('content', contentStep(facts, facts.content)));
    case 'roots/list':
      return each('roots', strip('Root'));
    case 'sampling/createMessage':
      return chain(oneAtATime(facts) ? oneBlock : undefined, samplingStep(facts));
    default:
      return undefined;
  }
}

const partStep = (facts: FittingFacts, part: string): Step =>
  part === 'capabilities' ? capabilityStep(facts) : leaveOut(facts.newer.Implementation);

const capabilityStep = ({ newer }: FittingFacts): Step =>
  chain(
    leaveOut(newer.ClientCapabilities),
    at('roots', leaveOut(newer.RootsCapability)),
    at('sampling', leaveOut(newer.SamplingCapability)),
    newer.ElicitationCapability && formCapability,
  );

const embeddedStep = ({ newer }: FittingFacts): Step =>
  chain(leaveOut(newer.TextResourceContents), leaveOut(newer.BlobResourceContents));

function contentStep(facts: FittingFacts, kinds: readonly string[]): Step {
  const strip = (record: string): Step => leaveOut(facts.newer[record]);
  const inner = chain(at('annotations', strip('Annotations')), at('resource', embeddedStep(facts)));
  return contentFit(kinds, strip, inner);
}

const toolStep = ({ newer, objectOutput }: FittingFacts): Step =>
  chain(
    leaveOut(newer.Tool),
    at('annotations', leaveOut(newer.ToolAnnotations)),
    objectOutput ? at('outputSchema', objectSchema) : undefined,
  );

function samplingStep(facts: FittingFacts): Step {
  const block = chain(contentStep(facts, facts.sampling), facts.objectOutput ? objectToolResult : undefined);
  return chain(each('content', block), at('content', block));
}

/** A message of the older kind holds one block, never a list. */
const oneAtATime = ({ newer }: FittingFacts): boolean => newer.SamplingMessage !== undefined;

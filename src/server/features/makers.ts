/** The functions that define things. What each gives brings along how it is made ready and served. */
import type { Schema } from '../../schema/standard.ts';
import type { Prompt, PromptFacts, PromptHandler, StringArguments } from '../definition/prompt.ts';
import type { Resource, ResourceFacts, Template, TemplateFacts } from '../definition/resource.ts';
import type { Tool, ToolFacts, ToolHandler } from '../definition/tool.ts';
import { compilePrompt } from './compile-prompt.ts';
import { compileResource } from './compile-resource.ts';
import { compileTemplate } from './compile-template.ts';
import { compileTool } from './compile-tool.ts';

/** Defines a tool. With `output` the handler returns the structured value, without it a string or `content(…)`. */
export const tool = <In extends Schema = Schema, Out extends Schema | undefined = undefined>(
  facts: ToolFacts<In, Out>,
  run: ToolHandler<In, Out>,
): Tool<In, Out> => ({ kind: 'tool', facts, run: run as Tool['run'], compile: compileTool });

/** Defines a resource that is read when it is asked for. */
export const resource = (facts: ResourceFacts, read: Resource['read']): Resource => ({
  kind: 'resource',
  facts,
  read,
  compile: compileResource,
});

/** Defines a family of resources by a URI template. A reader that gives `undefined` says there is no such resource. */
export const template = (facts: TemplateFacts, read: Template['read']): Template => ({
  kind: 'template',
  facts,
  read,
  compile: compileTemplate,
});

/** Defines a prompt. A string is one message of the user. */
export const prompt = <Args extends StringArguments = StringArguments>(
  facts: PromptFacts<Args>,
  run: PromptHandler<Args>,
): Prompt<Args> => ({ kind: 'prompt', facts, run: run as Prompt['run'], compile: compilePrompt });

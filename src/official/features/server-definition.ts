/** What an instance says about itself, as the definition of a Tenon server. */
import { type Fields, isRecord } from '../../lib/values/is.ts';
import type { ServerDefinition } from '../../server/definition/server.ts';
import type { Initialized } from '../instance/open-instance.ts';
import type { BridgedFeatures } from './features.ts';

/** A list that the instance declares is declared, even if it is empty now. */
export function definitionOf(
  { info, capabilities, instructions }: Initialized,
  features: BridgedFeatures,
): ServerDefinition {
  const { name, version, title, description, websiteUrl, icons } = info;
  const { tools, resources, resourceTemplates, prompts } = features;
  const described = Object.entries({ title, description, websiteUrl, icons, instructions });
  return {
    name: String(name),
    version: String(version),
    ...Object.fromEntries(described.filter(([, value]) => value !== undefined)),
    ...(has(capabilities, 'tools') && { tools }),
    ...(has(capabilities, 'resources') && { resources, resourceTemplates }),
    ...(has(capabilities, 'prompts') && { prompts }),
    capabilities: { logging: has(capabilities, 'logging'), resources: { subscribe: subscribes(capabilities) } },
  };
}

/** Names the capabilities that do not cross. */
export function nameUnserved(capabilities: Fields, dropped: (method: string, reason: string) => void): void {
  const reason = 'The bridge does not serve this capability.';
  if (has(capabilities, 'tasks')) dropped('tasks', reason);
  for (const name of ['experimental', 'extensions'])
    for (const key of Object.keys(isRecord(capabilities[name]) ? (capabilities[name] as Fields) : {}))
      dropped(key, reason);
}

const subscribes = ({ resources }: Fields): boolean => isRecord(resources) && resources.subscribe === true;

const has = (capabilities: Fields, name: string): boolean => isRecord(capabilities[name]);

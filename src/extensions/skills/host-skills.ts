/** The skills of all servers of a host: one list, each skill with its server. */
import type { CallOptions, Client } from '../../client/api/client.ts';
import type { CallArguments } from '../../client/api/typing.ts';
import { addressedBy, addressOf } from '../../host/lists/names.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { MethodDefinition, MethodResult } from '../../protocol/extensions/extension.ts';
import type { ReadResourceResult } from '../../protocol/generated/types/records.ts';
import type { Input } from '../../schema/standard.ts';
import type { SkillEntry } from './contract.ts';
import {
  createSkillsClient,
  type LoadedSkill,
  type SkillsClient,
  type SkillsClientOptions,
  type SkillsConnection,
} from './using.ts';

/** A skill of one server of a host. */
export interface HostSkill extends SkillEntry {
  /** The name of its server in the host. */
  readonly server: string;
  /** The URI of its `SKILL.md` in the host, for `load`. */
  readonly hostUri: string;
}

/** The skills of all servers of a host, and the servers that failed. */
export interface HostSkillList {
  /** The skills of the servers that answered. */
  readonly items: HostSkill[];
  /** The servers that failed or were late. */
  readonly errors: Array<{ readonly server: string; readonly error: Error }>;
}

/** Lists and reads the skills of all servers of a host. */
export interface HostSkills {
  /** The skills of all servers. A failing server is in `errors`; one that offers no skills is left out. */
  list(): Promise<HostSkillList>;
  /** Reads the `SKILL.md` of a skill, by its item in the list or its `hostUri`, and verifies it. */
  load(skill: string | HostSkill): Promise<LoadedSkill>;
}

/** The part of a host that skills need. It has to be created with `connectOptions: { extensions: [skillsExtension] }`. */
export interface SkillsHost {
  /** The names of its servers. */
  readonly servers: readonly string[];
  /** Sends a request of an extension to one server. */
  request<M extends MethodDefinition>(
    server: string,
    method: M,
    ...following: CallArguments<Input<M['params']>, CallOptions>
  ): Promise<MethodResult<M>>;
  /** Reads resources by their URIs in the host. */
  readonly resources: {
    /** Reads a resource. */
    read(hostUri: string, options?: CallOptions): Promise<ReadResourceResult>;
  };
}

/** Lists and reads the skills of all servers of a host. The label of a server is its name in the host. */
export function createHostSkills(host: SkillsHost, options: Omit<SkillsClientOptions, 'serverLabel'> = {}): HostSkills {
  const skillsOf = (server: string): SkillsClient =>
    createSkillsClient(connectionTo(host, server), { ...options, serverLabel: server });
  return {
    async list() {
      const listed = await Promise.all(
        host.servers.map(async (server) => ({ server, ...(await listOf(skillsOf(server))) })),
      );
      return {
        items: listed.flatMap(({ server, items }) =>
          items.map((entry) => ({ ...entry, server, hostUri: addressOf({ server, originalName: entry.uri }) })),
        ),
        errors: listed.flatMap(({ server, error }) => (error === undefined ? [] : [{ server, error }])),
      };
    },
    async load(skill) {
      if (typeof skill !== 'string') {
        const { server, hostUri: _, ...entry } = skill;
        return skillsOf(server).load(entry);
      }
      const origin = addressedBy(skill);
      if (origin === undefined || !host.servers.includes(origin.server)) throw unknownSkill(skill);
      return skillsOf(origin.server).load(origin.originalName);
    },
  };
}

async function listOf(skills: SkillsClient): Promise<{ items: SkillEntry[]; error: Error | undefined }> {
  try {
    return { items: await skills.list().all(), error: undefined };
  } catch (error) {
    const hasNone = error instanceof TenonError && error.code === 'capability-not-supported';
    return { items: [], error: hasNone ? undefined : (error as Error) };
  }
}

const connectionTo = (host: SkillsHost, server: string): SkillsConnection => ({
  request: ((...request: [never, never, never]) => host.request(server, ...request)) as unknown as Client['request'],
  resources: { read: (uri, options) => host.resources.read(addressOf({ server, originalName: uri }), options) },
  capabilities: {},
});

const unknownSkill = (hostUri: string): TenonError =>
  new TenonError('invalid-argument', `No server of this host has the skill at ${hostUri}.`, {
    hint: 'Use an item of the list, or its `hostUri`.',
  });

/** Skills (SEP-2640) for servers and hosts: an entry point of its own, loaded only where it is used. */

export {
  type CursorParams,
  type DirectoryPage,
  type Frontmatter,
  type SkillEntry,
  type SkillFile,
  type SkillPage,
  skillsExtension,
  type UriParams,
} from './contract.ts';
export {
  createHostSkills,
  type HostSkill,
  type HostSkillList,
  type HostSkills,
  type SkillsHost,
} from './host-skills.ts';
export { type SkillsOptions, serveSkills } from './serving.ts';
export type { SkillContent, SkillFiles } from './skill-index.ts';
export {
  createSkillsClient,
  type LoadedFile,
  type LoadedSkill,
  type SkillsClient,
  type SkillsClientOptions,
  type SkillsConnection,
} from './using.ts';
export { approvalKey, type VerificationFailure } from './verification.ts';

import { SECTION_NAMES } from './merge/section-names.js';
import { AUTH_KEY_SETTINGS } from './schema/auth-keys.js';
import { ClusterConfig } from './schema/cluster-config.js';
import { ServerSection } from './schema/server-section.js';
import { WorkerArgs } from './schema/worker-args.js';
import { keySpaceOf, ownSectionKeys, type KeySpace, type SectionKeys } from './settings/key-space.js';

/** The keys that are the edge's own, and that server sections do not inherit. */
export const EDGE_KEYS: KeySpace = keySpaceOf(ClusterConfig);

/** The keys at the top level of a cluster file. */
export const CLUSTER_KEYS: KeySpace = keySpaceOf(ClusterConfig, WorkerArgs);

/** The keys inside a section of a cluster file; server sections may hold the keys for authentication too. */
export const clusterSectionKeys: SectionKeys = (setting) =>
  SECTION_NAMES.some((name) => name === setting.name) && setting.type.kind === 'section'
    ? sectionKeys()
    : ownSectionKeys(setting);

function sectionKeys(): KeySpace {
  const { settings, ignored } = keySpaceOf(ServerSection);
  const shared = AUTH_KEY_SETTINGS.flatMap((name) => {
    const setting = EDGE_KEYS.settings.get(name);
    return setting ? [[name, setting] as const] : [];
  });
  return { settings: new Map([...settings, ...shared]), ignored };
}

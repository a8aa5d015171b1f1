/** The sections of a cluster file that describe a fleet, and what upstream's messages call their servers. */
export const SECTION_NAMES = ['context_servers', 'generation_servers'] as const;

/** One of {@link SECTION_NAMES}. */
export type SectionName = (typeof SECTION_NAMES)[number];

/** Upstream's short name of a section's servers, used in its messages. */
export const SERVER_TYPE: Readonly<Record<SectionName, string>> = {
  context_servers: 'ctx',
  generation_servers: 'gen',
};

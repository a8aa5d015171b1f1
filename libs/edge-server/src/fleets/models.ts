import type { Fleets } from './fleets.js';

/** The models that can be asked for: those that every fleet with a serving instance has. Empty while nothing serves. */
export function knownModels(fleets: Fleets): ReadonlySet<string> {
  const perFleet = fleets.all
    .map(({ fleet }) => new Set(fleet.instances.flatMap(({ serving, info }) => (serving && info ? [info.model] : []))))
    .filter((models) => models.size > 0);
  return perFleet.reduce((common, models) => common.intersection(models), perFleet[0] ?? new Set<string>());
}

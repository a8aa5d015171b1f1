/** What a setting accepts. `section` is a mapping with keys of its own, `free` one whose keys somebody else knows. */
export type SettingType =
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | {
      readonly kind: 'number';
      /** The least value, itself included unless `open`. */
      readonly min: number;
      readonly max: number;
      readonly open: boolean;
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'string' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'list' }
  | { readonly kind: 'secret' }
  | { readonly kind: 'secrets' }
  | { readonly kind: 'section'; readonly of: () => SettingsClass }
  | { readonly kind: 'free' };

/** What to do with a setting of each kind. */
export type ByKind<Result> = {
  readonly [Kind in SettingType['kind']]: (type: Extract<SettingType, { kind: Kind }>) => Result;
};

/** Does with a type what `table` says for its kind. */
export function byKind<Result>(type: SettingType, table: ByKind<Result>): Result {
  const decide = table[type.kind] as (type: SettingType) => Result;
  return decide(type);
}

/** A class whose properties are settings. */
export type SettingsClass = new () => object;

/** Whose key it is: one of TensorRT-LLM's, with its name and default, or one that Roost adds. */
type SettingSource = 'upstream' | 'ours';

/** One key of a configuration file. */
export interface Setting {
  readonly name: string;
  readonly type: SettingType;
  /** One sentence or two, shown in the generated reference. */
  readonly meaning: string;
  readonly unit: string | null;
  readonly source: SettingSource | null;
  readonly nullable: boolean;
  /** Whether a written null is a value of its own; elsewhere it stands for the default. */
  readonly keepsNull: boolean;
  /** The default in words, where it is not a constant. */
  readonly defaultText: string | null;
  /** Whether a value is accepted without being acted upon in this version. */
  readonly isIdle: (value: unknown) => boolean;
}

/** What the settings of one class have in common. */
export interface SettingsGroup {
  readonly title: string;
  readonly meaning: string;
  readonly source: SettingSource;
  /** Upstream's keys that mean nothing here: accepted, ignored, named in one warning. */
  readonly ignored: readonly string[];
}

const settings = new WeakMap<object, Map<string, Setting>>();
const groups = new WeakMap<object, SettingsGroup>();

/** Records a property of the class behind `prototype` as a setting. */
export function defineSetting(prototype: object, setting: Setting): void {
  const own = settings.get(prototype) ?? new Map<string, Setting>();
  settings.set(prototype, own.set(setting.name, setting));
}

/** Says what the settings of a class have in common. */
export function Group(group: SettingsGroup): ClassDecorator {
  return (target) => {
    groups.set(target, group);
  };
}

/** The group of a class, or of the nearest ancestor that has one. */
export function groupOf(owner: SettingsClass): SettingsGroup {
  for (let at: object | null = owner; at; at = parentOf(at)) {
    const group = groups.get(at);
    if (group) return group;
  }
  throw new TypeError(`${owner.name} is not a class of settings`);
}

/** The settings of a class, its ancestors' first, each in the order of its file. */
export function settingsOf(owner: SettingsClass): readonly Setting[] {
  const chain: object[] = [];
  for (let at: object | null = owner; at; at = parentOf(at)) chain.unshift(at);
  const found = new Map<string, Setting>();
  for (const ancestor of chain) {
    const { prototype } = ancestor as { prototype?: object };
    const source = groups.get(ancestor)?.source ?? null;
    for (const setting of own(prototype)) found.set(setting.name, { ...setting, source: setting.source ?? source });
  }
  return [...found.values()];
}

/** Upstream's ignored keys of a class and its ancestors. */
export function ignoredKeysOf(owner: SettingsClass): readonly string[] {
  const found: string[] = [];
  for (let at: object | null = owner; at; at = parentOf(at)) found.push(...(groups.get(at)?.ignored ?? []));
  return found;
}

function own(prototype: object | undefined): Iterable<Setting> {
  return prototype ? (settings.get(prototype)?.values() ?? []) : [];
}

function parentOf(owner: object): object | null {
  return Object.getPrototypeOf(owner) as object | null;
}

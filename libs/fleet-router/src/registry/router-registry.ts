import { type PrefixIndex } from '@roost/prefix-index';

import { type InMemoryBindingStoreOptions } from '../bindings/in-memory-binding-store.js';
import { type Tokenize } from '../conversation/conversation-router.js';
import { type BindingStore } from '../ports/binding-store.js';
import { type FleetRouter } from '../ports/fleet-router.js';

import { RouterArguments } from './router-arguments.js';

/** What a router may be given beside its configured arguments. */
export interface RouterDependencies {
  /** The first servers, in order. */
  readonly servers?: Iterable<string>;
  /** Needed by routers that match by tokens. */
  readonly tokenize?: Tokenize;
  /** Clock in milliseconds that never goes back; needed where `idle_ttl_sec` or `rebalance_idle_sec` is set. */
  readonly now?: () => number;
  /** Sets this edge's names for sessions without an id apart from other edges'. Default 0. */
  readonly nodeId?: number;
  /**
   * Which blocks lie on which server of this fleet: one index a fleet, kept up to date by whoever hears the workers.
   * Default: an index of the router's own, which knows what the router tracks itself.
   */
  readonly prefixIndex?: PrefixIndex;
  /** Makes the store of bindings. Default: in memory. */
  readonly makeBindings?: (options: InMemoryBindingStoreOptions) => BindingStore;
}

/** Makes a router from its arguments; throws a RouterArgumentError that names a wrong one. */
export type RouterFactory = (args: RouterArguments, dependencies: RouterDependencies) => FleetRouter;

/** A router, and the names of the arguments that it has no use for, for the caller to warn of. */
export interface CreatedRouter {
  readonly router: FleetRouter;
  readonly ignoredArgs: readonly string[];
}

/** No router can be made of this type. */
export class UnsupportedRouterTypeError extends Error {
  override readonly name = 'UnsupportedRouterTypeError';
}

/** The router types by name, in any case. */
export class RouterRegistry {
  readonly #factories = new Map<string, RouterFactory>();

  /** Adds a type; throws an Error when it is there already. */
  register(type: string, factory: RouterFactory): this {
    const name = type.toLowerCase();
    if (this.#factories.has(name)) throw new Error(`router type ${name} is registered already`);
    this.#factories.set(name, factory);
    return this;
  }

  /** The registered types in lower case, in the order of registration. */
  types(): readonly string[] {
    return [...this.#factories.keys()];
  }

  /**
   * Makes a router. Throws an UnsupportedRouterTypeError for a type that is not registered and a RouterArgumentError
   * for an argument of a wrong type or out of its range.
   */
  create(
    type: string,
    args: Readonly<Record<string, unknown>> = {},
    dependencies: RouterDependencies = {},
  ): CreatedRouter {
    const name = type.toLowerCase();
    const factory = this.#factories.get(name);
    if (factory === undefined) throw this.#unsupported(type);
    const reader = new RouterArguments(args);
    const router = factory(reader, dependencies);
    return { router, ignoredArgs: reader.unread() };
  }

  #unsupported(type: string): UnsupportedRouterTypeError {
    return new UnsupportedRouterTypeError(
      `Unsupported router type: ${type}. Supported types are: [${this.types().join(', ')}]`,
    );
  }
}

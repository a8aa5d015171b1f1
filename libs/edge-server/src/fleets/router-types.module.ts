import { Global, Module } from '@nestjs/common';
import { createRouterRegistry, RouterRegistry } from '@roost/fleet-router';

/**
 * The router types that a configuration can name. A Nest module of somebody else's adds one by injecting the
 * `RouterRegistry` and registering it, in its constructor or in `onModuleInit`.
 */
@Global()
@Module({
  providers: [{ provide: RouterRegistry, useFactory: createRouterRegistry }],
  exports: [RouterRegistry],
})
export class RouterTypesModule {}

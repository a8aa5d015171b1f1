import type { DynamicModule, Type } from '@nestjs/common';

/** What somebody else's code adds to an edge: Nest modules, such as one that registers a router type. */
export type EdgeExtension = DynamicModule | Type;

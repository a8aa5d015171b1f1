import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';

import { GrpcServices } from './grpc-services.js';

/** Lets a Nest application serve {@link GrpcService} controllers. */
@Module({ imports: [DiscoveryModule], providers: [GrpcServices], exports: [GrpcServices] })
export class GrpcTransportModule {}

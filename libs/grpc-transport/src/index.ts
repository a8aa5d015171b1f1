export * from './calls.js';
export * from './channel-options.js';
export * from './grpc-server.js';
export * from './grpc-service.js';
export * from './grpc-services.js';
export * from './grpc-transport.module.js';
export * from './serving-status.js';
export { errorOfStatus, statusOf, type FailedStatus } from './status.js';
export { widenReceiveWindows } from './receive-windows.js';

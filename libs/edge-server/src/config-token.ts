/** The Nest token of the edge's configuration, a `ClusterConfig`. */
export const CLUSTER_CONFIG = Symbol('CLUSTER_CONFIG');

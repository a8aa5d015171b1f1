/**
 * How every project's tests run (`--rootDir` says which project): as native ES modules, compiled by SWC with the
 * decorator metadata that Nest injects by, and with the workspace's packages resolved to their sources.
 */
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: {
    customExportConditions: ['@roost/source', 'node', 'node-addons'],
  },
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        sourceMaps: 'inline',
        module: { type: 'es6' },
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: true,
          },
          keepClassNames: true,
        },
      },
    ],
  },
  injectGlobals: false,
  restoreMocks: true,
};

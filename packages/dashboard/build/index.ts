/** Builds the dashboard for browsers. The service uses this when it starts. */
export { loadBuild, packedBuild } from './build.ts'
export type { Build, BuiltFile } from './files.ts'
export { pagePaths } from './page-paths.ts'
export { firstLoadBytes, lazyLimits, lazyLoadBytes } from './sizes.ts'
export { writeBuild } from './store.ts'

/** Builds the dashboard for browsers. The service uses this when it starts. */
export { loadBuild } from './build.ts'
export type { Build, BuiltFile } from './files.ts'
export { pagePaths } from './page-paths.ts'
export { firstLoadBytes, lazyLimits, lazyLoadBytes } from './sizes.ts'

/** The types of `$` for TypeScript 6 and later, with the members of ECMAScript 2025 that earlier ones do not know. */

/// <reference lib="es2025.collection" />
/// <reference lib="es2025.regexp" />
/// <reference lib="esnext.typedarrays" />

export type * from './index.d.ts'

import { fileURLToPath } from 'node:url'

/** Numbered, append-only; made by `npm run migration` from `schema.ts`. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url))

import { after } from 'node:test'

/** Resources that all tests of a file share. They are released in reverse order after the tests. */
export const fileResources = new AsyncDisposableStack()

after(() => fileResources.disposeAsync())

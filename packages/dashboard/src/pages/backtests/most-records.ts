/** A chart shows at most so many fills, signals and points of the equity. */
export const mostRecords = 5_000

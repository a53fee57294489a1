/**
 * Makes the library create a formatter of dates for each time zone, which no heap limit counts.
 *
 * Holds: the library's replacement of `Intl` keeps few of them, and code gets none.
 *
 * @ends completed | failed RangeError | failed TypeError | violation execution_time | violation memory
 * @kills
 */
for (let index = 0; index < 20_000; index += 1) {
  new Date(index).toLocaleDateString('en', { timeZone: `Etc/GMT${index % 24 < 12 ? '+' : '-'}${index % 12}` })
}

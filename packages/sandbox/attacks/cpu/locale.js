/**
 * Formats texts, numbers and dates for locales, each time for another.
 *
 * Holds: the timeout interrupts between the calls.
 *
 * @ends violation execution_time | violation memory
 */
for (let index = 0; ; index += 1) {
  (index * 1.5).toLocaleString(['de', 'en', 'ar', 'hi', 'zh'][index % 5], { style: 'currency', currency: 'EUR', minimumFractionDigits: index % 9 })
  new Date(index).toLocaleString('en', { timeZone: index % 2 ? 'UTC' : 'Asia/Tokyo' })
  'a'.localeCompare('b', ['de', 'sv', 'ja'][index % 3])
}

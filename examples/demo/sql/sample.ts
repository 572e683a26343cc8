/** A small sample database: cities, and the readings of their weather stations on a few days. */

const cities = [
  [1, 'Oslo', 'Norway', 709_000],
  [2, 'Bergen', 'Norway', 292_000],
  [3, 'Berlin', 'Germany', 3_755_000],
  [4, 'Lisbon', 'Portugal', 546_000],
  [5, 'Paris', 'France', 2_103_000],
] as const;

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

const readings = cities.flatMap(([city]) =>
  days.map((day, at) => `(${city}, '${day}', ${10 + ((city * 7 + at * 3) % 15)}, ${(city * at) % 4})`),
);

/** The statements that create it. */
export const sample: string = `
  CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL, people INTEGER NOT NULL);
  CREATE TABLE reading (city_id INTEGER REFERENCES city, day TEXT NOT NULL, celsius REAL NOT NULL, rain_mm REAL NOT NULL);
  INSERT INTO city VALUES ${cities.map(([id, name, country, people]) => `(${id}, '${name}', '${country}', ${people})`).join(', ')};
  INSERT INTO reading VALUES ${readings.join(', ')};
`;

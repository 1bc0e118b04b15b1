/** A fact that stands in one old note, and a question that asks for it in other words. */
export interface OldFact {
  readonly fact: string;
  readonly question: string;
}

/** Forty facts; no question repeats its fact word for word. */
export const OLD_FACTS: readonly OldFact[] = [
  [
    "Grandmother's sapphire ring is kept in the safe deposit box at the bank on Elm Street",
    "Where did we put grandma's sapphire jewellery?",
  ],
  [
    "The plumber who fixed the leaking kitchen tap is called Osvaldo",
    "Who repaired the dripping faucet in the kitchen?",
  ],
  ["Bought the cello from a retired teacher in Ghent for 900 euros", "How much did I pay for my cello?"],
  ["Our cat Biscuit is allergic to chicken and must eat salmon kibble", "Which food can't the cat have?"],
  ["The wifi password at the cabin is written under the router", "Where do I find the internet password of the cabin?"],
  [
    "Dr. Yilmaz told me to stop drinking grapefruit juice with the blood pressure pills",
    "Why did the doctor forbid grapefruit juice?",
  ],
  ["Sold the old Volvo to a student from Leipzig", "Who bought our Volvo?"],
  ["The blueprint of the greenhouse is rolled up behind the wardrobe", "Where are the greenhouse plans stored?"],
  ["Marta's wedding will take place in a vineyard near Porto", "At what location is Marta getting married?"],
  ["The dentist found a cavity in the lower left molar", "Which tooth had the cavity according to the dentist?"],
  ["Planted forty tulip bulbs along the southern fence", "How many tulips did I plant by the fence?"],
  ["The neighbour's dog Rufus bit the mailman in the leg", "What did Rufus do to the mail carrier?"],
  ["Learned to bake sourdough from a recipe of aunt Petra", "Whose recipe do I use for sourdough bread?"],
  ["The insurance for the motorbike has to be renewed every September", "When is the motorcycle insurance due?"],
  ["Nephew Lars was accepted at the conservatory to study trumpet", "What instrument does Lars study?"],
  ["The attic window is jammed and needs a new hinge", "What is wrong with the window in the attic?"],
  ["Lost the brown leather wallet on the tram number 11", "On which tram did my wallet disappear?"],
  [
    "The landlord agreed to lower the rent by fifty euros after the mould was found",
    "By how much was the rent reduced by our landlord?",
  ],
  ["My locker at the gym is 214 and the code is the year of the moon landing", "What is the number of my gym locker?"],
  [
    "The telescope was a present from colleagues for ten years at the observatory",
    "From whom did I get the telescope?",
  ],
  ["Uncle Enzo emigrated to Argentina with a single suitcase", "To which country did uncle Enzo move?"],
  ["The beehives produced eighteen jars of honey", "How many jars of honey came from the bees?"],
  ["Hannah's violin teacher charges 35 euros per lesson", "What is the price of a violin lesson for Hannah?"],
  ["The boiler was serviced by a company called Warmhaus", "Which firm maintains our boiler?"],
  ["We scattered father's ashes at the lighthouse of Hvide Sande", "Where did we say goodbye to father's ashes?"],
  ["The tent has a hole near the entrance since the storm in Norway", "How was the tent damaged?"],
  ["Promised Sofia to lend her the sewing machine until Easter", "Who wants to borrow my sewing machine?"],
  ["The piano tuner comes on the first Monday after New Year", "When does somebody tune the piano?"],
  [
    "The password of the tax account was changed to something with a penguin",
    "Which animal is in the tax account password?",
  ],
  [
    "Rented a storage unit in Haarlem for the books of the dissolved library",
    "In what city is the storage unit with the library books?",
  ],
  ["Dropped the phone into the aquarium and dried it in rice", "What happened to my phone at the aquarium?"],
  [
    "The carpenter will build the oak staircase in larch after all because oak was too expensive",
    "Which wood will the staircase be made of?",
  ],
  ["Signed up for the pottery course that takes place on Thursday evenings", "On which weekday is my pottery class?"],
  [
    "Grandfather kept a diary in shorthand during his years as a ship's cook",
    "What job did grandfather have on the ship?",
  ],
  ["The fig tree has to be wrapped in burlap before the first frost", "How do I protect the fig tree from frost?"],
  ["Emil broke his collarbone while sledging behind the monastery", "Which bone did Emil fracture when sledging?"],
  [
    "The spare tyre of the bicycle trailer hangs in the cellar behind the skis",
    "Where is the spare tire for the bike trailer?",
  ],
  [
    "The choir will sing Brahms at the hospital on the third Sunday of Advent",
    "Which composer's music does the choir perform at the hospital?",
  ],
  ["Swapped night shifts with Ingrid in exchange for a jar of pickled plums", "With whom did I swap my night shift?"],
  [
    "The museum in Delft still owes us the deposit for the borrowed maps",
    "Which museum has not returned the deposit for the maps?",
  ],
].map(([fact = "", question = ""]) => ({ fact, question }));

const OPENINGS = ["Talked with", "Wrote to", "Had lunch with", "Waited for", "Helped", "Argued with", "Visited"];
const PEOPLE = ["Anna", "Jonas", "the team", "Mrs. Keller", "Paul", "the accountant", "Li", "the new intern", "Tom"];
const TOPICS = [
  "the quarterly report",
  "the schedule for next week",
  "a bug in the billing script",
  "the weather and the garden",
  "the train delays",
  "a film about mountains",
  "the grocery list",
  "the office chairs",
  "the meeting notes",
  "the budget",
  "a walk around the lake",
  "the slides for Friday",
];
const ENDINGS = [
  "before breakfast",
  "for an hour",
  "over coffee",
  "by phone",
  "in the afternoon",
  "again",
  "without result",
];

/** What fills the notes of ordinary days; the same for the same numbers. */
export function ordinaryLine(day: number, line: number): string {
  const pick = (list: readonly string[], salt: number) =>
    list[(day * 7 + line * 13 + salt * 31 + day * line) % list.length];
  return `- ${pick(OPENINGS, 1)} ${pick(PEOPLE, 2)} about ${pick(TOPICS, 3)} ${pick(ENDINGS, 4)}`;
}

"""Makes up everyday talk from a small grammar, since packages hold much documentation and little conversation."""

import random

NAMES = """Anna Ben Clara David Elena Frank Grace Hannah Ivan Julia Karim Laura Mark Nadia Oliver Paula Quentin Rosa Simon Tanya
Umar Vera Walter Xenia Yusuf Zoe Priya Kenji Mei Amina Diego Ingrid Pedro Sofia Thomas Lucy Emma Noah Liam Mia""".split()
KIN = """my mother|my father|my sister|my brother|my wife|my husband|my daughter|my son|my grandmother|my grandfather|my aunt|my uncle|
my cousin|my boss|my neighbour|my best friend|my roommate|my girlfriend|my boyfriend|my colleague|my teacher|my doctor|my dentist|my dog|
my cat|our team|the kids|my parents|my nephew|my niece|my mentor|my landlord|an old friend|a friend from school"""
PLACE = """the park|the beach|the mountains|the museum|the library|the hospital|the gym|a concert|a wedding|the office|a conference|
the supermarket|the airport|a cafe|a new restaurant|the zoo|the cinema|the theatre|a workshop|the forest|the lake|a farm|a festival|
the swimming pool|the bank|the post office|the hairdresser|a birthday party|a funeral|the mechanic|a pottery class|a dance class|church|
the shelter|a book club|a charity event|a job interview|university|the campsite|a hockey game|a football match|the garden centre|
Paris|London|Tokyo|Rome|Berlin|Canada|Mexico|India|Spain|Australia|the countryside|a yoga retreat|an exhibition|a protest|a parade"""
DO = """cook dinner|bake bread|play the guitar|play the piano|paint landscapes|take photographs|go running|train for a marathon|
ride a bike|go hiking|go camping|read novels|write poems|keep a journal|learn Spanish|learn to code|knit a scarf|plant tomatoes|
fix the car|renovate the kitchen|move to a new flat|look for a job|start a business|adopt a puppy|volunteer at the shelter|
study for the exam|practise yoga|meditate|lose weight|eat less sugar|sleep better|save money|pay the rent|book a flight|
plan the holiday|watch films|play chess|play video games|play basketball|swim every morning|sing in a choir|build a shelf|
repair the roof|clean the garage|sell the house|buy a laptop|change the password|call the insurance|see the dentist|get a haircut|
make pottery|go fishing|collect stamps|teach children|finish the report|prepare the slides|record a podcast|host a dinner|
donate blood|take a day off|visit relatives|get married|have a baby|take medicine|recover from surgery|quit smoking|try surfing"""
DID = """cooked dinner|baked a cake|bought a guitar|painted a sunset|took some photos|ran ten kilometres|broke a leg|lost the keys|
found a new job|was promoted|was fired|graduated|moved house|adopted a kitten|planted roses|won a prize|failed the exam|passed the test|
got engaged|got divorced|had surgery|caught a cold|booked the tickets|missed the train|crashed the car|fixed the sink|sold the boat|
wrote a song|finished the book|started therapy|joined a club|quit the job|met an old friend|saw a doctor|visited the museum|
signed the contract|opened a shop|published an article|gave a talk|learnt to swim|got a tattoo|donated clothes|found a wallet|
painted the bedroom|made a necklace|had a baby|celebrated an anniversary|received a letter|forgot the appointment|ordered new shoes"""
THING = """a red bicycle|an old camera|a wooden table|a silver ring|a pair of hiking boots|a blue dress|a mystery novel|a cookbook|
a coffee machine|a second-hand car|a phone|a puppy|a goldfish|a violin|a painting|a birthday cake|a plane ticket|a tent|a vase|
a board game|a gift card|a houseplant|a necklace|a record player|a keyboard|a sewing machine|a smartwatch|a suitcase|headphones"""
LIKE = """jazz|classical music|rock|spicy food|sushi|pizza|pasta|dark chocolate|strawberries|green tea|coffee|red wine|science fiction|
detective stories|history|astronomy|modern art|ballet|football|tennis|snowboarding|cats|dogs|horses|the sea|rainy days|autumn|winter|
board games|gardening|cooking|photography|travelling|swimming|karaoke|comedies|documentaries|vegetarian food|peanut butter|cheese"""
WHEN = """yesterday|last week|last month|last year|two days ago|this morning|on Monday|on Friday evening|in March|in October|
over the weekend|last summer|at Christmas|on 12 May|in 2021|a few weeks ago|tonight|tomorrow|next week|next month|soon|when I was young|
back in college|after work|before breakfast|on my birthday|last Tuesday|the other day|at the end of June"""
FEEL = """happy|sad|proud|nervous|tired|excited|grateful|angry|lonely|relieved|worried|calm|inspired|disappointed|surprised|stressed|
hopeful|bored|embarrassed|jealous|homesick|confident|overwhelmed|thankful|scared|curious"""
WHY = """it helps me relax|it was too expensive|the doctor told me to|I needed a change|it reminds me of home|we had been planning it for ages|
the weather was awful|my back hurts|I want to be healthier|the old one broke|nobody else could|it was on sale|I promised it|
the deadline moved|the flight was cancelled|they were out of stock|it rained all day|I love being outdoors|my family supports me"""

POOLS = {key: [part.strip() for part in value.replace("\n", "").split("|")] for key, value in
         {"kin": KIN, "place": PLACE, "do": DO, "did": DID, "thing": THING, "like": LIKE, "when": WHEN, "feel": FEEL, "why": WHY}.items()}
POOLS["name"] = NAMES

STATEMENTS = """I went to {place} with {kin} {when}.|{name} {did} {when}.|{kin} {did} {when}.|I love {like}.|{name} really likes {like}.|
I'm allergic to {like}.|I'm trying to {do}.|{name} wants to {do} {when}.|We are going to {place} {when}.|I feel {feel} because {why}.|
{name} bought {thing} {when}.|{kin} gave me {thing} {when}.|I {did} {when}, and I was so {feel}.|I can't wait to {do}!|
I used to {do}, but {why}.|{kin} told me to {do}.|My favourite is {like}.|{name} and I {did} together.|I have been to {place} twice.|
Remember that {name} lives near {place}.|I decided to {do} since {why}.|We met at {place} {when}.|It was {feel} to see {name} at {place}.|
{name} works at {place}.|I stopped going to {place} because {why}.|{name}'s birthday is {when}.|I lost {thing} at {place}.|
I prefer {like} to {like}.|{kin} is {feel} about {place}.|Let's {do} {when}.|I need to {do} {when}.|I've been feeling {feel} lately.|
{name} is learning to {do}.|I made {thing} for {kin}.|The best part of {place} was {like}."""
QUESTIONS = """When did {name} go to {place}?|What did {name} buy {when}?|Who went to {place} with {name}?|Why did {name} {do}?|
What does {name} like?|Does {name} like {like}?|Where did {name} and {name} meet?|How did {name} feel about {place}?|
What is {name} planning to do {when}?|Which gift did {name} give to {kin}?|How long has {name} been trying to {do}?|
What hobbies does {name} have?|Where does {name} work?|Who gave {name} {thing}?|When is {name}'s birthday?|
What did {name} do after {place}?|Has {name} ever been to {place}?|What made {name} {feel}?|Did {name} {do} {when}?|
How often does {name} {do}?|What kind of music does {name} listen to?|How was {place}?|Do you want to {do} {when}?|
What happened at {place}?|Would {name} enjoy {like}?|What advice did {name} give about how to {do}?"""
# With any word of the vocabulary, so that each is met in talk at least a few times.
OPEN_STATEMENTS = """{name} told me about the {word} and the {word}.|I bought a {word} {when}.|My {word} is at {place}.|I really like {word}.|
{name} is into {word} these days.|We talked about {word} for hours.|I had never seen a {word} before.|{kin} is afraid of the {word}.|
The {word} was the best part of the trip.|I keep thinking about {word} and {word}.|{name} has a {word} and wants to {do}.|
I dreamt of a {word} {when}.|For me it is all about {word}.|There was a {word} at {place}.|Someone stole the {word} from {place}.|
I'd rather have {word} than {word}.|{name} called to ask about the {word}.|I read a book on {word} {when}.|The {word} broke, so I will {do}."""
OPEN_QUESTIONS = """What did {name} say about the {word}?|Who has a {word}?|Why does {name} care about {word}?|When did {name} get the {word}?|
Where is the {word}?|Did {name} ever mention {word}?|What happened to the {word} at {place}?|Which {word} does {name} prefer?|
How does {name} feel about {word} and {word}?|Is {name} interested in {word}?"""
REPLIES = """That's great!|Wow, congratulations!|I'm sorry to hear that.|Thanks, {name}!|Sounds like fun.|Good for you!|How are you?|
Oh no, what happened?|I'm so proud of you.|Take care!|That must have been hard.|Hey {name}, long time no see!|Good luck with that!"""
STATEMENT, QUESTION, OPEN_STATEMENT, OPEN_QUESTION, REPLY = (
    [part.strip() for part in value.replace("\n", "").split("|")]
    for value in (STATEMENTS, QUESTIONS, OPEN_STATEMENTS, OPEN_QUESTIONS, REPLIES)
)


def fill(template, chance):
    while "{" in template:
        start, end = template.index("{"), template.index("}")
        template = template[:start] + chance.choice(POOLS[template[start + 1 : end]]) + template[end + 1 :]
    return template[0].upper() + template[1:]


def sentences(count, words, seed=11):
    """Single statements and questions, and turns of two or three sentences, some with their speaker."""
    POOLS["word"] = words
    chance = random.Random(seed)
    for _ in range(count):
        statements, questions = (STATEMENT, QUESTION) if chance.random() < 0.4 else (OPEN_STATEMENT, OPEN_QUESTION)
        parts = [fill(chance.choice(statements), chance) for _ in range(chance.choice((1, 1, 2, 3)))]
        kind = chance.random()
        if kind < 0.4:
            yield fill(chance.choice(questions), chance)
        elif kind < 0.6:
            yield " ".join([fill(chance.choice(REPLY), chance), *parts])
        elif kind < 0.8:
            yield f"{chance.choice(NAMES)}: {' '.join(parts)}"
        else:
            yield " ".join(parts)
